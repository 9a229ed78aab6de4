"""How a table is recoded: one level a column (full domain), intervals (cuts), or cell by cell."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

GONE = -1  # in place of a level: the row is left out


class Space(StrEnum):
    """Over which recodings a claim speaks."""

    FULL_DOMAIN = "full-domain"  # every value of a column goes to the same level
    CUTS = "cuts"  # every column's ordered values are cut into intervals
    CELL_LEVEL = "cell-level"  # every cell may go to a level of its own

    @property
    def recoding(self) -> str:
        """One of its recodings, in words."""
        return "recoding by cuts" if self is Space.CUTS else f"{self.value} recoding"

    def within(self, other: Space) -> bool:
        """Is every recoding of this space one of the other, so that the other's bounds hold?

        Intervals need not be groups of a hierarchy, so cuts are within no other space. Whether
        levels are cuts depends on the hierarchies: ``problem/cut_space.py`` tells.
        """
        return self is other or (self is Space.FULL_DOMAIN and other is Space.CELL_LEVEL)


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


@dataclass(frozen=True, slots=True)
class Cuts:
    """A recoding by intervals: each column's values, in their order, cut at some places.

    A cut at ``p`` parts the first ``p`` values of the column, of those that occur, from the others;
    no cut leaves the column as one interval, ``*``.
    """

    names: tuple[str, ...]
    cuts: tuple[tuple[int, ...], ...]  # a column, rising, from 1

    def __post_init__(self) -> None:
        if len(self.names) != len(self.cuts):
            raise ValueError("a recoding has one list of cuts a column")
        for cuts in self.cuts:
            if list(cuts) != sorted(set(cuts)) or (cuts and cuts[0] < 1):
                raise ValueError("cuts rise, and the first is 1 or above")

    def __str__(self) -> str:
        return f"{sum(map(len, self.cuts))} cuts"


@dataclass(frozen=True, slots=True, eq=False)
class CellMap:
    """A cell-level recoding: groups of equal rows in pieces, each with a level for every column.

    Equal rows may be released differently, so a group splits into pieces, and the rows of its
    pieces make up its rows. Groups are numbered in the frequency set's canonical order, which does
    not depend on the engine. A piece whose levels are all ``GONE`` is left out.
    """

    names: tuple[str, ...]
    group: NDArray[np.int64]  # (pieces,)
    rows: NDArray[np.int64]  # (pieces,) how many rows of the group
    levels: NDArray[np.int16]  # (pieces, columns)

    def __post_init__(self) -> None:
        pieces = len(self.group)
        if self.rows.shape != (pieces,) or self.levels.shape != (pieces, len(self.names)):
            raise ValueError("a cell map has one group, one count and one level a column, a piece")
        if pieces and (int(self.group.min()) < 0 or int(self.rows.min()) < 1):
            raise ValueError("a piece is one row or more of a group")
        if pieces and int(self.levels.min()) < GONE:
            raise ValueError("levels start at 0")
        gone = self.levels == GONE
        if not np.array_equal(gone.any(axis=1), gone.all(axis=1)):
            raise ValueError("a row is left out whole or not at all")

    @property
    def gone(self) -> NDArray[np.bool_]:
        """(pieces,) left out"""
        left_out: NDArray[np.bool_] = (self.levels == GONE).any(axis=1)
        return left_out

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CellMap) and (
            self.names == other.names
            and np.array_equal(self.group, other.group)
            and np.array_equal(self.rows, other.rows)
            and np.array_equal(self.levels, other.levels)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays can change

    def __str__(self) -> str:
        return f"cell by cell, {len(self.group):,} pieces"


Recoding: TypeAlias = Levels | Cuts | CellMap
