"""The one door of the command line and the studio: verbs, types and helpers of every room.

A name is loaded from its room when it is first used, so importing this module costs nothing.
``api.pyi`` lists the names and their rooms. What users of the library need is also in ``lookalike``
itself, with documentation.
"""

from lookalike.lazy_names import lazy_names

__getattr__, __all__ = lazy_names(__name__, __file__)
