"""Minority rows: guessing the most frequent value of a class is wrong for several rows."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.privacy.defined_requirement import ClassCounts, DefinedRequirement
from lookalike.privacy.requirement import check_whole


@dataclass(frozen=True, slots=True)
class Minority(DefinedRequirement):
    """In every class at least ``rows`` rows hold another value than the most frequent one.

    It grows: a class that contains another has at least its minority rows.
    """

    column: str
    rows: int

    key = "minority"
    required_keys = ("column", "rows")
    example = 'minority = [{ column = "diagnosis", rows = 2 }]'
    name = "minority rows"
    grows = True
    monotone = True

    def __post_init__(self) -> None:
        check_whole("rows", self.rows, 1)

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def smallest(self) -> int:
        return self.rows + 1

    def breaks(self, group: ClassCounts) -> bool:
        return group.rows - max(group.values[self.column].values(), default=0) < self.rows

    def sentence(self) -> str:
        return (
            f"{self.rows} minority rows: in every equivalence class at least {self.rows} rows hold "
            f"another value of {self.column} than the most frequent one"
        )
