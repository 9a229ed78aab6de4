"""Walk over a tree of cuts, and check that each step follows from the rules of ``cut-proofs.md``.

Import late: numba. At a node it is known which cuts are in, out or open; which rows are alike under
those that are in (classes) and under all that are not out (atoms); and which intervals of the long
column are left.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.solution.proof import CLOSED, LEFT, NEXT
from lookalike.verifier.claim.cuts.bound_kernels import Bounds, bound_node
from lookalike.verifier.claim.cuts.node_kernels import find_useless, merge_atoms, part_classes
from lookalike.verifier.claim.cuts.path_kernels import has_path_within_limit, intervals_below
from lookalike.verifier.claim.cuts.tree_layout import (
    IN,
    NO_RECODING,
    OPEN,
    OUT,
    Atoms,
    CutTable,
    Intervals,
    NoProof,
    Pricing,
    Whole,
    branching_cut,
    walk,
)

MAX_LISTED_ROWS = 1 << 22  # up to which the least cost is tabulated


@dataclass(frozen=True, slots=True, eq=False)
class WalkNode:
    """A node on the way."""

    state: NDArray[np.int8]  # (cuts,)
    atoms: Atoms
    intervals: Intervals

    @property
    def places(self) -> int:
        return int(self.atoms.rows_before.shape[2])


@dataclass(frozen=True, slots=True, eq=False)
class BoundedNode:
    """What the bounds of a node show, and which of the cuts in question may be dropped."""

    node: WalkNode  # with the intervals that are left
    closed: bool
    too_costly: set[int]  # rule 2: nothing is cheaper with them
    useless: set[int]  # rules 3 and 4: nothing costs more without them


class TreeWalk:
    """One walk over one tree: does it show that nothing costs less than is claimed?

    Recodings may suppress ``limit`` rows; ``by_label`` is by CM, not by DM.
    """

    def __init__(
        self, table: CutTable, k: int, rows: int, limit: int, claimed: int, *, by_label: bool
    ) -> None:
        self.table, self.limit, self.claimed = table, limit, claimed
        least = np.zeros(1, np.int64) if by_label else least_costs(k, rows)
        self.pricing = Pricing(k, rows, by_label, least)
        # By DM, a recoding cheaper than the bound has no class with more rows than this.
        self.max_class = math.isqrt(claimed - 1) if 0 < claimed < rows**2 else rows

    def check(self, marks: Iterable[int]) -> int:
        """The number of ends, all of them closed; raises NoProof at a step that does not hold."""
        return walk(self.root(), self._children, marks)

    def _children(self, node: WalkNode, marks: Iterator[int]) -> list[WalkNode]:
        """The nodes below a node, the first of them last; none at an end."""
        mark = NEXT
        while mark == NEXT:
            drops, mark = self._read(marks)
            bounded = self._bound(node, drops)
            node = bounded.node
            if drops:
                node = self.without(node, self._dropped(bounded, drops))
        if mark in (CLOSED, LEFT):
            if not (bounded.closed or (drops and self._bound(node, []).closed)):
                raise NoProof("a recoding that it leaves open could be cheaper")
            return []
        cut = branching_cut(mark, node.state)
        return [self.without(node, {cut, *self.needing(node, cut)}), self.with_cut(node, cut)]

    def _read(self, marks: Iterator[int]) -> tuple[list[int], int]:
        """Cuts to be dropped, and the mark that follows them."""
        drops: list[int] = []
        for mark in marks:
            if mark < 0:
                return drops, mark
            if mark >= self.table.cuts:
                raise NoProof("it names a cut that does not exist")
            drops.append(mark)
        raise NoProof("it ends before all its nodes are closed")

    # --- rules ----------------------------------------------------------------------------------

    def _bound(self, node: WalkNode, drops: list[int]) -> BoundedNode:
        """Is the node closed (1, 6), which intervals are left (5), which cuts may be dropped?

        Bounds are computed for a cut only if it cannot be dropped without them.
        """
        if any(node.state[cut] != OPEN for cut in drops) or len(set(drops)) < len(drops):
            raise NoProof("it drops a cut that is not open")
        if not len(node.intervals.begin):
            return BoundedNode(node, True, set(), set())
        useless = self._useless(node, drops)
        asked = [cut for cut in drops if cut not in useless or self.needing(node, cut)]
        bounds = self.bounds(node, asked)
        spare, price, cutoff = self.limit - bounds.suppressed, bounds.price, self.claimed
        if cutoff != NO_RECODING:
            cutoff -= bounds.suppressed * (1 if self.pricing.by_label else self.pricing.rows)
        price[bounds.lost > spare] = NO_RECODING
        left = intervals_below(node.intervals, price, node.places, cutoff)
        intervals, price, lost = node.intervals.at(left), price[left], bounds.lost[left]
        closed = not len(left)
        if not closed and not (node.state == OPEN).any():
            closed = not has_path_within_limit(intervals, price, lost, node.places, spare, cutoff)
        too_costly = {
            cut
            for cut, more in zip(asked, bounds.more, strict=True)
            if not len(intervals_below(intervals, price + more[left], node.places, cutoff))
        }
        return BoundedNode(replace(node, intervals=intervals), closed, too_costly, useless)

    def bounds(self, node: WalkNode, cuts: list[int]) -> Bounds:
        """The bounds of a node, and of the nodes where one of some cuts is made."""
        drops = np.array(cuts, dtype=np.int64)
        is_open = node.state == OPEN
        return bound_node(
            node.atoms, node.intervals, self.table.first, is_open, drops, self.pricing
        )

    def _useless(self, node: WalkNode, cuts: list[int]) -> set[int]:
        """Rules 3 and 4, as far as they do not depend on other cuts."""
        if not cuts:
            return set()
        column, place = self.table.column[cuts], self.table.place[cuts]
        useless = find_useless(node.atoms, column, place, self.pricing, self.max_class)
        return {cut for cut, is_useless in zip(cuts, useless, strict=True) if is_useless}

    def _dropped(self, bounded: BoundedNode, drops: list[int]) -> set[int]:
        """The cuts that are out from here on: those dropped, with the open cuts that need them.

        A useless cut can be left out only if no cut that is left needs it.
        """
        if bounded.closed:
            return set(drops)
        out = set(bounded.too_costly)
        for cut in bounded.too_costly:
            out |= self.needing(bounded.node, cut)
        rest = set(drops) - out
        for cut in rest:
            if cut not in bounded.useless or not self.needing(bounded.node, cut) <= out | rest:
                raise NoProof("it drops a cut that could make a recoding cheaper")
        return out | rest

    def needing(self, node: WalkNode, cut: int) -> set[int]:
        """The open cuts that need a cut."""
        return {other for other in self.table.needed_by[cut] if node.state[other] == OPEN}

    # --- nodes ----------------------------------------------------------------------------------

    def root(self) -> WalkNode:
        """Forced cuts and what they need are in; forbidden cuts and what needs them are out."""
        table = self.table
        state = np.full(table.cuts, OPEN, dtype=np.int8)
        for cut in np.flatnonzero(~table.allowed).tolist():
            state[[cut, *table.needed_by[cut]]] = OUT
        made = set(np.flatnonzero(table.forced).tolist())
        for cut in tuple(made):
            made |= table.needs[cut]
        state[list(made)] = OPEN
        one_class = np.zeros(len(table.codes), dtype=np.int64)
        atoms = Atoms(table.rows_before, table.codes, one_class, 1)
        node = self.without(WalkNode(state, atoms, table.intervals), set())
        for cut in sorted(made):
            node = self.with_cut(node, cut)
        return node

    def with_cut(self, node: WalkNode, cut: int) -> WalkNode:
        """The node where a cut is in, with those that it needs."""
        table, state, atoms = self.table, node.state.copy(), node.atoms
        for needed in (cut, *table.needs[cut]):
            if state[needed] == OPEN:
                state[needed] = IN
                atoms = part_classes(atoms, int(table.column[needed]), int(table.place[needed]))
        return replace(node, state=state, atoms=atoms)

    def without(self, node: WalkNode, cuts: set[int]) -> WalkNode:
        """The node where cuts are out, over the places at which intervals begin or end."""
        state = node.state.copy()
        state[list(cuts)] = OUT
        first = self.table.first
        return WalkNode(state, *merge_atoms(node.atoms, node.intervals, first, state == OUT))


def least_costs(k: int, rows: int) -> Whole:
    """G: what n rows cost at least by DM, some released in classes of k or more, some suppressed.

    Suppressing one more row costs |D| more, so G(n) = min(Q(n), |D| + G(n − 1)). For a large table
    only the first are listed.
    """
    listed = rows if rows < 4 * k else min(rows, max(MAX_LISTED_ROWS, k))
    n = np.arange(1 + listed, dtype=np.int64)
    parts = np.maximum(1, n // k)
    each = n // parts
    squares = parts * each * each + (n - parts * each) * (2 * each + 1)
    squares[1:k] = NO_RECODING // 2
    suppressed = n * rows
    least: Whole = np.minimum.accumulate(squares - suppressed) + suppressed
    return least
