"""Flat: a hierarchy of two levels, the value and ``*``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookalike.counts.level_table import LevelTable, Value
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.level_builder import climb, level_name, missing
from lookalike.policy.hierarchy import Hierarchy, check_true


@dataclass(frozen=True, slots=True)
class Flat(Hierarchy):
    """Two levels: the value, and ``*``. It takes any value."""

    name = "flat"

    @property
    def by_value(self) -> bool:
        return True

    def tabulate(self, name: str, values: Sequence[Value]) -> LevelTable:
        keys = [None if missing(value) else text(value) for value in values]
        return climb(name, values, keys, ())

    def describe(self, level: int) -> str:
        return level_name(level, ())

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], base: Path) -> Hierarchy:
        check_true(spec, "flat")
        return flat()

    def to_dict(self) -> Mapping[str, object]:
        return {"flat": True}


def flat() -> Flat:
    """A hierarchy without groups: the value, ``*``. For columns such as sex.

    Returns
    -------
    Hierarchy
        It takes any value.

    Examples
    --------
    >>> import lookalike as la
    >>> [la.flat().describe(level) for level in (0, 1)]
    ['unchanged', 'suppressed (*)']
    """
    return Flat()
