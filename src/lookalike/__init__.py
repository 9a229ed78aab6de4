"""lookalike: k-anonymous tables with minimal information loss and a checkable proof.

Names are loaded when first used, so importing lookalike loads no engine and no compiler.
``__init__.pyi`` lists them.
"""

import logging

from lookalike import version
from lookalike.lazy_names import lazy_names

__version__ = version.VERSION
__getattr__, __all__ = lazy_names(__name__, __file__)


def __dir__() -> list[str]:
    return __all__


logging.getLogger(__name__).addHandler(logging.NullHandler())
