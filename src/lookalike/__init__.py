"""lookalike: k-anonymous tables with minimal information loss and a checkable proof.

Names are loaded when first used, so importing lookalike loads no engine and no compiler.
``__init__.pyi`` lists them.
"""

import logging

import lazy_loader

from lookalike import version

__version__ = version.VERSION
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

logging.getLogger(__name__).addHandler(logging.NullHandler())
