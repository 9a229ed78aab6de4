"""The one door of the command line and the studio: verbs, types and helpers of every room.

A name is loaded from its room when it is first used, so importing this module costs nothing.
``api.pyi`` lists the names and their rooms. What users of the library need is also in ``lookalike``
itself, with documentation.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_ROOMS = {
    alias.asname or alias.name: (f"lookalike.{node.module}", alias.name)
    for node in _STUB.body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}
__all__ = sorted(_ROOMS)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"lookalike.api has no attribute {name}")
    module, attribute = _ROOMS[name]
    globals()[name] = value = getattr(import_module(module), attribute)
    return value
