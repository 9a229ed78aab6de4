"""Finding a column's values in a declared domain, and saying which are not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from lookalike.counts.level_table import Value
from lookalike.errors import PolicyError
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.level_builder import fault, missing

Key = TypeVar("Key")


def look_up(name: str, values: Sequence[Value], declared: Mapping[str, Key]) -> list[Key | None]:
    """What is declared for each value, read as text; None for a null."""
    reads = [None if missing(value) else text(value) for value in values]
    unknown = [read for read in reads if read is not None and read not in declared]
    if unknown:
        raise PolicyError(fault(name, unknown, "not in the hierarchy", _fix(unknown, declared)))
    return [None if read is None else declared[read] for read in reads]


def _fix(unknown: Sequence[str], declared: Mapping[str, object]) -> str:
    folded = {_fold(leaf) for leaf in declared}
    near = sum(_fold(read) in folded for read in unknown)
    fix = "add them to the hierarchy, or clean them"
    return f"{fix} ({near} differ only in capitals or spaces)" if near else fix


def _fold(read: str) -> str:
    return "".join(read.split()).casefold()
