"""Names that a module offers and loads only when they are first used, listed in its stub."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def lazy_names(module: str, file: str) -> tuple[Callable[[str], Any], list[str]]:
    """``__getattr__`` and ``__all__`` of a module, from the imports in the stub beside its file.

    The stub (``.pyi``) is what a type checker reads, so each name is listed once.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    places = {
        alias.asname or alias.name: (f"lookalike.{node.module}", alias.name)
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    def load(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        place, attribute = places[name]
        value = getattr(import_module(place), attribute)
        setattr(sys.modules[module], name, value)
        return value

    return load, sorted(places)
