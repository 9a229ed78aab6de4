"""The space of cuts: the ordered values of every column, and the places where they may be cut.

Bayardo and Agrawal 2005: a recoding is a set of cuts; Adult has 2^156 such sets.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import LevelTable
from lookalike.solution.recoding import Cuts

if TYPE_CHECKING:
    from lookalike.problem.problem import Problem

Whole = NDArray[np.int64]
NONE = -1
NEEDS_NO_ORDER = 2  # values; there is one way to cut two


@dataclass(frozen=True, slots=True, eq=False)
class CutSpace:
    """The cuts of all columns, numbered column by column, each from its first place on."""

    names: tuple[str, ...]
    rank: tuple[NDArray[np.int32], ...]  # per column: the place of each leaf, from 0
    column: NDArray[np.int32]  # (cuts,)
    place: NDArray[np.int32]  # (cuts,) a cut at p separates the places below p from the rest
    forced: NDArray[np.bool_]  # (cuts,) the policy's coarsest levels need it
    allowed: NDArray[np.bool_]  # (cuts,) the policy's finest levels allow it
    needs: NDArray[np.int32]  # (cuts, 2) cuts without which it may not be made, −1 for none

    def recoding(self, chosen: Iterable[int]) -> Cuts:
        """The recoding with these cuts, by number."""
        lists: list[list[int]] = [[] for _ in self.names]
        for cut in sorted(chosen):
            lists[self.column[cut]].append(int(self.place[cut]))
        return Cuts(self.names, tuple(map(tuple, lists)))

    def intervals(self, recoding: Cuts) -> tuple[Whole, ...]:
        """Per column (leaves,): the interval of each leaf, from 0."""
        return tuple(
            np.searchsorted(np.array(cuts, dtype=np.int64), rank, side="right")
            for cuts, rank in zip(recoding.cuts, self.rank, strict=True)
        )

    def holds(self, recoding: Cuts) -> bool:
        """Is this recoding in the space: cut where there are values and the policy allows it?"""
        if recoding.names != self.names:
            return False
        made = np.zeros(len(self.column), dtype=np.bool_)
        first = 0
        for cuts, rank in zip(recoding.cuts, self.rank, strict=True):
            if cuts and cuts[-1] >= len(rank):
                return False
            made[np.array(cuts, dtype=np.int64) + (first - 1)] = True
            first += max(0, len(rank) - 1)
        needed = self.needs[made]
        return bool(
            made[self.forced].all()
            and self.allowed[made].all()
            and made[needed[needed != NONE]].all()
        )


def cut_space(problem: Problem) -> CutSpace:
    """The cuts of a problem; all columns must be ordered (``why_not_cut``)."""
    ranks, columns, places, forced, allowed, needs = [], [], [], [], [], []
    siblings = problem.policy.conventions.cuts == "siblings"
    first = 0
    bounded = zip(problem.tables, problem.low, problem.high, strict=True)
    for a, (table, low, high) in enumerate(bounded):
        order = in_order(table)
        rank = np.empty(table.leaves, dtype=np.int32)
        rank[order] = np.arange(table.leaves)
        ranks.append(rank)
        between = np.arange(1, table.leaves)
        columns.append(np.full(len(between), a))
        places.append(between)
        forced.append(_parts(table, order, high))
        allowed.append(_parts(table, order, low))
        needed = _around(table, order) if siblings else np.full((len(between), 2), NONE)
        needs.append(np.where(needed == NONE, NONE, needed + first))
        first += len(between)
    return CutSpace(
        problem.names,
        tuple(ranks),
        np.concatenate(columns).astype(np.int32),
        np.concatenate(places).astype(np.int32),
        np.concatenate(forced),
        np.concatenate(allowed),
        np.concatenate(needs).astype(np.int32),
    )


def in_order(table: LevelTable) -> NDArray[np.int32]:
    """The leaves of a column in order; two values without an order are taken as they come."""
    return np.arange(table.leaves, dtype=np.int32) if table.order is None else table.order


def _around(table: LevelTable, order: NDArray[np.int32]) -> Whole:
    """(leaves − 1, 2) the cuts around the smallest group that each cut divides, by number, or NONE.

    If every cut comes with those around its group, no interval reaches into a group and out of it:
    each is a union of siblings.
    """
    codes = table.codes[order]
    around = np.full((max(0, table.leaves - 1), 2), NONE, dtype=np.int64)
    for cut in range(len(around)):
        level = int(np.argmax(codes[cut] == codes[cut + 1]))
        members = np.flatnonzero(codes[:, level] == codes[cut, level])
        if members[0] > 0:
            around[cut, 0] = members[0] - 1
        if members[-1] < table.leaves - 1:
            around[cut, 1] = members[-1]
    return around


def _parts(table: LevelTable, order: NDArray[np.int32], level: int) -> NDArray[np.bool_]:
    """(leaves − 1,) which neighbors in the order have different codes at a level."""
    codes = table.codes[order, level]
    parts: NDArray[np.bool_] = codes[1:] != codes[:-1]
    return parts


def why_not_cut(problem: Problem) -> str | None:
    """Why a problem has no space of cuts, in a sentence; None if it has one."""
    without = [t.name for t in problem.tables if not t.ordered and t.leaves > NEEDS_NO_ORDER]
    if without:
        return (
            f"the values of {', '.join(without)} have no order to cut; use ordered = [...], bands, "
            "dates, or a tree, whose leaves are taken in the order of the tree"
        )
    siblings = problem.policy.conventions.cuts == "siblings"
    broken = [
        table.name
        for table, low, high in zip(problem.tables, problem.low, problem.high, strict=True)
        if not all(
            follows(table, level)
            for level in (range(low, table.height) if siblings else (low, high))
        )
    ]
    if broken:
        return f"the levels that bound {', '.join(broken)} are not intervals of its order"
    return None


def follows(table: LevelTable, level: int) -> bool:
    """Is every group of a level an interval of the order?"""
    parts = int(_parts(table, in_order(table), level).sum())
    return parts + 1 == max(1, len(np.unique(table.codes[:, level])))


def levels_are_cuts(problem: Problem) -> bool:
    """Is every full-domain recoding also one by cuts, so that a bound on cuts holds for it?"""
    return why_not_cut(problem) is None and all(
        follows(table, level)
        for table, low, high in zip(problem.tables, problem.low, problem.high, strict=True)
        for level in range(low, high + 1)
    )
