"""How a table is recoded: one level a column (full domain)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Space(StrEnum):
    """Over which recodings a claim speaks."""

    FULL_DOMAIN = "full-domain"  # every value of a column goes to the same level


@dataclass(frozen=True, slots=True)
class Levels:
    """A full-domain recoding: each column at one level of its hierarchy."""

    names: tuple[str, ...]
    levels: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.names) != len(self.levels):
            raise ValueError("a recoding has one level a column")
        if any(level < 0 for level in self.levels):
            raise ValueError("levels start at 0")

    @property
    def height(self) -> int:
        """Steps taken over all columns (the sum of the distance vector)."""
        return sum(self.levels)

    def __str__(self) -> str:
        return "[" + ", ".join(map(str, self.levels)) + "]"
