"""Look up the values of a column in a declared domain; values that are not in it are a fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from lookalike.counts.level_table import Value
from lookalike.errors import PolicyError
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.level_builder import missing, values_fault

Key = TypeVar("Key")


def look_up(name: str, values: Sequence[Value], declared: Mapping[str, Key]) -> list[Key | None]:
    """What is declared for each value, compared as text; None for a null."""
    texts = [None if missing(value) else text(value) for value in values]
    unknown = [cell for cell in texts if cell is not None and cell not in declared]
    if unknown:
        fix = _fix(unknown, declared)
        raise PolicyError(values_fault(name, unknown, "not in the hierarchy", fix))
    return [None if cell is None else declared[cell] for cell in texts]


def _fix(unknown: Sequence[str], declared: Mapping[str, object]) -> str:
    folded = {_fold(leaf) for leaf in declared}
    near = sum(_fold(value) in folded for value in unknown)
    fix = "add them to the hierarchy, or clean them"
    return f"{fix} ({near} differ only in upper and lower case or spaces)" if near else fix


def _fold(value: str) -> str:
    return "".join(value.split()).casefold()
