"""Flat: the value, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lookalike.counts.level_table import LevelTable, Value
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.level_builder import AS_IT_IS, SUPPRESSED, climb, missing


@dataclass(frozen=True, slots=True)
class Flat:
    """Two levels: the value as it is, and ``*``. Takes any value."""

    def tabulate(self, name: str, values: Sequence[Value]) -> LevelTable:
        keys = [None if missing(value) else text(value) for value in values]
        return climb(name, values, keys, ())

    def describe(self, level: int) -> str:
        return SUPPRESSED if level else AS_IT_IS

    def to_dict(self) -> Mapping[str, object]:
        return {"flat": True}


def flat() -> Flat:
    """The value, then ``*``: for columns whose values have no useful groups, as sex."""
    return Flat()
