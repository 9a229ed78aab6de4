"""The three kinds of recoding: one level per column, intervals (cuts), or cell by cell.

All kinds answer the same questions: ``space``, ``names``, ``node``, ``coarseness``, ``facts`` (for
a JSON document) and ``content`` (for a solution file). ``problem.apply(recoding)`` answers the
questions that need the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

GONE = -1  # in place of a level: the row is suppressed
NO_FACTS: dict[str, Any] = {"levels": None, "pieces": None, "intervals": None}


class Space(StrEnum):
    """A kind of recoding: a claim is about all recodings of one space.

    Examples
    --------
    >>> import lookalike as la
    >>> la.Space.FULL_DOMAIN.within(la.Space.CELL_LEVEL)
    True
    """

    FULL_DOMAIN = "full-domain"  # every value of a column goes to the same level
    CUTS = "cuts"  # every column's ordered values are cut into intervals
    CELL_LEVEL = "cell-level"  # every cell may go to a level of its own

    @property
    def recoding(self) -> str:
        """The name of one of its recodings."""
        return "recoding by cuts" if self is Space.CUTS else f"{self.value} recoding"

    def within(self, other: Space) -> bool:
        """Is every recoding of this space one of the other, so that the other's bounds hold?

        Intervals need not be groups of a hierarchy, so cuts are not within another space. Whether
        levels are cuts depends on the hierarchies (``problem/recodings/cut_space.py``).

        Parameters
        ----------
        other : Space
            The other space.

        Returns
        -------
        bool
            True for the same space, and for full-domain within cell-level.
        """
        return self is other or (self is Space.FULL_DOMAIN and other is Space.CELL_LEVEL)


@dataclass(frozen=True, slots=True)
class Levels:
    """A full-domain recoding: each column at one level of its hierarchy.

    Attributes
    ----------
    names : tuple of str
        The quasi-identifiers.
    levels : tuple of int
        The level of each; 0 shows the values themselves.

    Examples
    --------
    >>> import lookalike as la
    >>> recoding = la.Levels(("zip", "age"), (2, 1))
    >>> print(recoding, recoding.height)
    [2, 1] 3
    """

    space: ClassVar[Space] = Space.FULL_DOMAIN
    names: tuple[str, ...]
    levels: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.names) != len(self.levels):
            raise ValueError("a recoding has one level per column")
        if self.levels and min(self.levels) < 0:
            raise ValueError("levels start at 0")

    @property
    def height(self) -> int:
        """The sum of the levels of all columns (Samarati's height)."""
        return sum(self.levels)

    @property
    def node(self) -> tuple[int, ...] | None:
        """Its node of the lattice."""
        return self.levels

    @property
    def coarseness(self) -> tuple[int, ...]:
        """The level of each column."""
        return self.levels

    def facts(self) -> dict[str, Any]:
        """Facts for a JSON document.

        Returns
        -------
        dict
            The keys ``levels``, ``pieces`` and ``intervals``; two of them are None.
        """
        return NO_FACTS | self.content()

    def content(self) -> dict[str, Any]:
        """Content for a solution file.

        Returns
        -------
        dict
            The recoding, as JSON values.
        """
        return {"levels": dict(zip(self.names, self.levels, strict=True))}

    def __str__(self) -> str:
        return "[" + ", ".join(map(str, self.levels)) + "]"


@dataclass(frozen=True, slots=True)
class Cuts:
    """A recoding by intervals: each column's values, in their order, cut at some places.

    A cut at ``p`` separates the first ``p`` values that occur in the column from the others. A
    column without cuts is one interval, ``*``.

    Attributes
    ----------
    names : tuple of str
        The quasi-identifiers.
    cuts : tuple of tuple of int
        The places where each is cut, ascending, from 1.

    Examples
    --------
    >>> import lookalike as la
    >>> print(la.Cuts(("age", "sex"), ((2, 5), ())))
    2 cuts; intervals [3, 1]
    """

    space: ClassVar[Space] = Space.CUTS
    names: tuple[str, ...]
    cuts: tuple[tuple[int, ...], ...]  # for each column, ascending, from 1

    def __post_init__(self) -> None:
        if len(self.names) != len(self.cuts):
            raise ValueError("a recoding has one list of cuts per column")
        for cuts in self.cuts:
            if list(cuts) != sorted(set(cuts)) or (cuts and cuts[0] < 1):
                raise ValueError("cuts ascend, and the first is 1 or above")

    @property
    def node(self) -> tuple[int, ...] | None:
        """None: cuts are not a node of the lattice."""
        return None

    @property
    def coarseness(self) -> tuple[int, ...]:
        """The number of intervals of each column."""
        return tuple(len(cuts) + 1 for cuts in self.cuts)

    def facts(self) -> dict[str, Any]:
        """Facts for a JSON document.

        Returns
        -------
        dict
            The keys ``levels``, ``pieces`` and ``intervals``; two of them are None.
        """
        return NO_FACTS | {"intervals": dict(zip(self.names, self.coarseness, strict=True))}

    def content(self) -> dict[str, Any]:
        """Content for a solution file.

        Returns
        -------
        dict
            The recoding, as JSON values.
        """
        return {"columns": self.names, "cuts": self.cuts}

    def __str__(self) -> str:
        return f"{sum(map(len, self.cuts))} cuts; intervals {list(self.coarseness)}"


@dataclass(frozen=True, slots=True, eq=False)
class CellMap:
    """A cell-level recoding: groups of equal rows in pieces, each with a level for every column.

    Equal rows may be released differently, so a group splits into pieces, and the rows of its
    pieces make up its rows. Groups are numbered in the frequency set's canonical order, which does
    not depend on the engine. A piece whose levels are all ``GONE`` (−1) is suppressed.

    Attributes
    ----------
    names : tuple of str
        The quasi-identifiers.
    group : array of int
        The group of each piece.
    rows : array of int
        How many rows of the group are in the piece.
    levels : array of int
        One line per piece: the level of each column.

    Examples
    --------
    >>> import numpy as np, lookalike as la
    >>> levels = np.array([[0, 1], [2, 1]], dtype=np.int16)
    >>> print(la.CellMap(("zip", "age"), np.array([0, 1]), np.array([3, 3]), levels))
    cell by cell, 2 pieces; mean levels [1.0, 1.0]
    """

    space: ClassVar[Space] = Space.CELL_LEVEL
    names: tuple[str, ...]
    group: NDArray[np.int64]  # (pieces,)
    rows: NDArray[np.int64]  # (pieces,) how many rows of the group
    levels: NDArray[np.int16]  # (pieces, columns)

    def __post_init__(self) -> None:
        pieces = len(self.group)
        if self.rows.shape != (pieces,) or self.levels.shape != (pieces, len(self.names)):
            raise ValueError("each piece has one group, one count, and one level per column")
        if pieces and (int(self.group.min()) < 0 or int(self.rows.min()) < 1):
            raise ValueError("a piece is one row or more of a group")
        if pieces and int(self.levels.min()) < GONE:
            raise ValueError("levels start at 0")
        gone = self.levels == GONE
        if not np.array_equal(gone.any(axis=1), gone.all(axis=1)):
            raise ValueError("a row is suppressed as a whole or not at all")

    @property
    def gone(self) -> NDArray[np.bool_]:
        """(pieces,) suppressed"""
        suppressed: NDArray[np.bool_] = (self.levels == GONE).any(axis=1)
        return suppressed

    @property
    def node(self) -> tuple[int, ...] | None:
        """None: a cell map is not a node of the lattice."""
        return None

    @property
    def coarseness(self) -> tuple[int, ...]:
        """The coarsest level of each column."""
        return tuple(int(level) for level in self.levels.max(axis=0, initial=0))

    def facts(self) -> dict[str, Any]:
        """Facts for a JSON document.

        Returns
        -------
        dict
            The keys ``levels``, ``pieces`` and ``intervals``; two of them are None.
        """
        return NO_FACTS | {"pieces": len(self.group)}

    def content(self) -> dict[str, Any]:
        """Content for a solution file: group, rows and levels of each piece.

        Returns
        -------
        dict
            The recoding, as JSON values.
        """
        pieces = np.column_stack([self.group, self.rows, self.levels])
        return {"columns": self.names, "pieces": pieces.tolist()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CellMap) and (
            self.names == other.names
            and np.array_equal(self.group, other.group)
            and np.array_equal(self.rows, other.rows)
            and np.array_equal(self.levels, other.levels)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays can change

    def __str__(self) -> str:
        kept = ~self.gone
        rows = self.rows[kept]
        means = rows @ self.levels[kept] / max(1, int(rows.sum()))
        shown = ", ".join(f"{mean:.1f}" for mean in means.tolist())
        return f"cell by cell, {len(self.group):,} pieces; mean levels [{shown}]"


Recoding: TypeAlias = Levels | Cuts | CellMap


@dataclass(frozen=True, slots=True, eq=False)
class ShownColumn:
    """What a column shows, if equal values show the same in every row."""

    codes: NDArray[np.int32]  # (values,)
    labels: tuple[str | None, ...] | None  # one per code; None: the column keeps its own values
