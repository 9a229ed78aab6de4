"""A hierarchy of words: the word, its first letter, ``*``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookalike.counts.level_table import LevelTable, Value
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.level_builder import SUPPRESSED, UNCHANGED, Rung, climb, missing
from lookalike.policy.hierarchy import Hierarchy, check_true


@dataclass(frozen=True, slots=True)
class Initial(Hierarchy):
    """Levels: the word, ``n…``, ``*``."""

    name = "initial"
    by_value = True  # what a word shows depends on nothing else

    def tabulate(self, name: str, values: Sequence[Value]) -> LevelTable:
        keys = [None if missing(value) else text(value) for value in values]
        return climb(name, values, keys, [Rung(lambda word: word[:1], lambda first: f"{first}…")])

    def describe(self, level: int) -> str:
        return (UNCHANGED, "first letter", SUPPRESSED)[min(level, 2)]

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], base: Path) -> Initial:
        check_true(spec, "initial")
        return cls()

    def to_dict(self) -> Mapping[str, object]:
        return {"initial": True}

    def covers(self, label: str, value: Value) -> bool:
        return label.removesuffix("…") == text(value)[:1]
