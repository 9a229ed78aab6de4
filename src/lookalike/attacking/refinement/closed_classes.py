"""The classes of a release by lattice greedy, and the two rules that their order of closing gives.

Let s be the node whose labels a class shows. The class is closed at s, unless its labels had too
many lookalikes then (below). So, at every node n:

*Rule E.* If a class is closed at n, all rows that show its labels there are in this class or in one
that was closed earlier. A tuple of values can thus only be in the first class that covers it.

*Rule C.* Rows that look alike at n but are in classes closed later are fewer than k, because
otherwise they would have become a class at n.

*The rule on leftovers.* Lattice greedy closes no class that would leave 1 to k − 1 rows. Such a
refusal at n needs that all rows of classes closed later, except for k − 1 at most, look alike at n.
Each of these classes has a row that does not (else it would show lower labels). So there is no
refusal if k or more classes are closed later, or if one of them cannot show the labels. Where a
refusal is possible, both cases stay open.

Rows that cannot look alike even at the coarsest levels form components that do not concern each
other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lookalike.attacking.refinement.visiting_order import (
    VisitingOrder,
    level_bounds,
    visiting_order,
)
from lookalike.attacking.release_view import NO_LEVEL, Flags, ReleaseView, Whole
from lookalike.counts.level_table import LevelTable
from lookalike.counts.tuple_keys import numbered_tuples

MAX_TUPLES = 1 << 22  # of values of the domain
MAX_NODES = 1 << 14
NO_PART = -1


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """How finer labels divide the values that a label covers, in two or more parts."""

    level: int  # the highest level below the label that divides them
    part: Whole  # (leaves,) numbered from 0; NO_PART where the label does not cover the value
    count: int


class ClosedClasses:
    """A release, with the node of each class and the order of the nodes."""

    def __init__(self, view: ReleaseView) -> None:
        self.view = view
        self.k = view.policy.smallest
        self.bounds = level_bounds(view)
        self.order: VisitingOrder = visiting_order(view)
        columns = range(len(view.columns))
        low = np.array([low for low, _ in self.bounds])
        shown = [column.level[view.codes[:, a]] for a, column in enumerate(view.columns)]
        self.node: Whole = np.maximum(np.stack(shown, axis=1), low)  # (classes, columns)
        # (columns) of (classes, leaves): which values each class covers
        self.covers = [view.columns[a].covers[view.codes[:, a]] for a in columns]
        # (nodes, classes): is the node visited before the class can be closed?
        self.before: Flags = self.order.surely_before(self.node)
        # (classes, classes): is the first closed before the second can be?
        at = [int(np.flatnonzero((self.order.nodes == node).all(axis=1))[0]) for node in self.node]
        self.earlier: Flags = self.before[at]
        self.component = self._components()

    @property
    def sizes(self) -> Whole:
        """(classes,)"""
        return self.view.rows

    def _components(self) -> Whole:
        """(classes,) classes with the same number could have rows that look alike."""
        coarsest = [
            column.table.codes[self.covers[a].argmax(axis=1), high]
            for a, (column, (_, high)) in enumerate(
                zip(self.view.columns, self.bounds, strict=True)
            )
        ]
        number, _ = numbered_tuples(coarsest, self.view.classes)
        return number

    @cached_property
    def overlaps(self) -> Flags:
        """(classes, classes) can a tuple of values show the labels of both?"""
        both = np.ones((self.view.classes, self.view.classes), dtype=np.bool_)
        for covers in self.covers:
            some = covers.astype(np.float32)
            both &= (some @ some.T) > 0
        return both

    @cached_property
    def sure(self) -> Flags:
        """(classes,) is the class certainly closed at the node whose labels it shows?"""
        sure = np.zeros(self.view.classes, dtype=np.bool_)
        for c in np.argsort(self.earlier.sum(axis=0), kind="stable").tolist():
            same = self.component == self.component[c]
            later = same & self.earlier[c]
            if self._rest(later, self.overlaps[c]) >= self.k:
                sure[c] = True
            else:  # nothing may be left but classes that are closed already
                open_still = same & ~(self.earlier[:, c] & sure)
                open_still[c] = False
                sure[c] = not open_still.any()
        return sure

    def _rest(self, later: Flags, overlapping: Flags) -> int:
        """How many rows of later classes are left, at least, if some that overlap are taken."""
        return int((later & overlapping).sum() + self.sizes[later & ~overlapping].sum())

    def may_be_refused(self, later: Flags, overlapping: Flags) -> bool:
        """Could k lookalikes of ``later`` classes have been refused, by the rule on leftovers?"""
        return self._rest(later, overlapping) < self.k

    def candidates(self) -> tuple[Whole, Whole]:
        """Tuples of values that each class can have by rule E.

        (pairs,) the class, ascending; (pairs, columns) the values.
        """
        shape = tuple(column.table.leaves for column in self.view.columns)
        places = np.argsort(self.earlier.sum(axis=0), kind="stable")
        total = bool((self.earlier | self.earlier.T | self._same_node()).all())
        taken = np.zeros(shape, dtype=np.bool_)
        leaves: dict[int, Whole] = {}
        for c in places.tolist():
            box = self._box(c)
            if not total:
                taken[box] = False
                for other in np.flatnonzero(self.earlier[:, c] & self.sure & self.overlaps[c]):
                    taken[self._box(int(other))] = True
            free = np.argwhere(~taken[box])
            values = [axis.reshape(-1)[free[:, a]] for a, axis in enumerate(box)]
            leaves[c] = np.stack(values, axis=1)
            if total and self.sure[c]:
                taken[box] = True
        count = [len(leaves[c]) for c in range(self.view.classes)]
        nothing = np.zeros((0, len(shape)), dtype=np.int64)
        pairs = np.concatenate([nothing, *(leaves[c] for c in range(self.view.classes))])
        return np.repeat(np.arange(self.view.classes), count), pairs

    def _same_node(self) -> Flags:
        same: Flags = (self.node[:, None] == self.node[None]).all(axis=2)
        return same

    def _box(self, c: int) -> tuple[Whole, ...]:
        """The values that a class covers, as an index of an array over all tuples."""
        return np.ix_(*(np.flatnonzero(covers[c]) for covers in self.covers))

    def parts(self, a: int, code: int) -> Parts | None:
        """How the next finer labels divide what a label of column ``a`` covers; None if not."""
        column = self.view.columns[a]
        return divided(
            column.table, column.covers[code], int(column.level[code]), self.bounds[a][0]
        )

    def labels(self) -> Iterator[tuple[int, int, Parts]]:
        """Each generalized cell of each class: the class, the column, and the finer labels."""
        known = [
            {code: self.parts(a, code) for code in np.unique(self.view.codes[:, a]).tolist()}
            for a in range(len(self.view.columns))
        ]
        for c, codes in enumerate(self.view.codes.tolist()):
            for a, code in enumerate(codes):
                if (parts := known[a][code]) is not None:
                    yield c, a, parts


def divided(table: LevelTable, covered: Flags, level: int, low: int) -> Parts | None:
    """The parts of the covered values by the next finer labels that tell some of them apart."""
    for finer in range(level - 1, low - 1, -1):
        codes, part = np.unique(table.codes[covered, finer], return_inverse=True)
        if len(codes) > 1:
            all_parts = np.full(table.leaves, NO_PART, dtype=np.int64)
            all_parts[covered] = part.reshape(-1)
            return Parts(finer, all_parts, len(codes))
    return None


def why_unsuitable(view: ReleaseView) -> str | None:
    """Why the rules do not apply to a release, in a sentence; None if they do."""
    for column in view.columns:
        if (column.level == NO_LEVEL).any():
            return f"{column.name} shows labels that are on no level of its hierarchy"
        if _ambiguous(column.table):
            return f"{column.name} has a label with different meanings on different levels"
    if np.prod([float(column.table.leaves) for column in view.columns]) > MAX_TUPLES:
        return f"the columns have more than {MAX_TUPLES:,} combinations of values"
    nodes = np.prod([float(high - low + 1) for low, high in level_bounds(view)])
    if nodes > MAX_NODES:
        return f"the lattice has more than {MAX_NODES:,} nodes"
    return None


def _ambiguous(table: LevelTable) -> bool:
    """Does a label stand for different values on different levels?"""
    meaning: dict[str | None, bytes] = {}
    for level, labels in enumerate(table.labels):
        for code, label in enumerate(labels):
            covered = (table.codes[:, level] == code).tobytes()
            if meaning.setdefault(label, covered) != covered:
                return True
    return False
