"""Walk a tree of cuts again, and see at each step that the rules of ``cut-proofs.md`` give it.

Import late: numba. Of a node it is known which cuts are in, out or open, who is alike under those
that are in (classes) and under all that are not out (atoms), and which intervals of the long column
are left.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.solution.proof import BRANCH, CLOSED, LEFT, NEXT
from lookalike.verifier.claim.cuts.bound_kernels import look
from lookalike.verifier.claim.cuts.node_kernels import merge, part, useless
from lookalike.verifier.claim.cuts.path_kernels import shorter, within
from lookalike.verifier.claim.cuts.tree_layout import NOTHING, Ground, NoProof

OUT, OPEN, IN = 0, 1, 2
LISTED = 1 << 22  # rows up to which G is tabulated

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ask:
    """What is to be shown: no recoding that keeps to the limit costs less than the bound."""

    k: int
    rows: int
    limit: int  # of suppressed rows
    by_label: bool  # by CM, not by DM
    bound: int


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A node on the way; its arrays are described in ``cut_kernels.py``."""

    state: NDArray[np.int8]  # (cuts,)
    rows: NDArray[np.int32]
    codes: NDArray[np.int32]
    of: Whole
    classes: int
    begin: Whole
    end: Whole


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What one look at a node shows, and of the cuts in question, which are dropped."""

    node: Node  # with the intervals that are left
    closed: bool
    dear: set[int]  # rule 2: nothing is cheaper with them
    idle: set[int]  # rules 3 and 4: nothing is dearer without them


class Walk:
    """One walk over one tree."""

    def __init__(self, ground: Ground, ask: Ask) -> None:
        self.ground = ground
        self.ask = ask
        self.least = least_squares(ask.k, ask.rows) if not ask.by_label else np.zeros(1, np.int64)
        # By DM, a recoding cheaper than the bound has no class with more rows than this.
        known = 0 < ask.bound < ask.rows**2
        self.widest = math.isqrt(ask.bound - 1) if known else ask.rows

    def over(self, marks: Iterable[int]) -> int:
        """How many ends it has, all of them closed; raises NoProof at a step that does not hold."""
        given = iter(marks)
        waiting = [self._root()]
        ends = 0
        while waiting:
            below = self._below(waiting.pop(), given)
            ends += not below
            waiting += below
        if next(given, None) is not None:
            raise NoProof("it goes on after its last end")
        return ends

    def _below(self, node: Node, given: Iterator[int]) -> list[Node]:
        """What the tree goes on with below a node, the first of it last; nothing at an end."""
        mark = NEXT
        while mark == NEXT:
            drops, mark = self._read(given)
            sight = self._look(node, drops)
            node = self._without(sight.node, self._dropped(sight, drops)) if drops else sight.node
        if mark in (CLOSED, LEFT):
            if not (sight.closed or (drops and self._look(node, []).closed)):
                raise NoProof("a recoding that it leaves open could be cheaper")
            return []
        cut = BRANCH - mark
        if not 0 <= cut < self.ground.cuts:
            raise NoProof("it has marks without a meaning")
        if node.state[cut] != OPEN:
            raise NoProof("it branches on a cut that is not open")
        return [self._without(node, {cut, *self._needing(node, cut)}), self._made(node, cut)]

    def _read(self, given: Iterator[int]) -> tuple[list[int], int]:
        """Cuts to be dropped, and the mark that follows them."""
        drops: list[int] = []
        for mark in given:
            if mark < 0:
                return drops, mark
            if mark >= self.ground.cuts:
                raise NoProof("it numbers cuts that there are not")
            drops.append(mark)
        raise NoProof("it ends before all its nodes do")

    # --- rules ----------------------------------------------------------------------------------

    def _look(self, node: Node, drops: list[int]) -> Sight:
        """Is the node closed (1, 6), which intervals are left (5), which cuts are dropped?

        Bounds are worked out for a cut only if it is not dropped without them.
        """
        if any(node.state[cut] != OPEN for cut in drops) or len(set(drops)) < len(drops):
            raise NoProof("it drops a cut that is not open")
        if not len(node.begin):
            return Sight(node, True, set(), set())
        ask, is_open = self.ask, node.state == OPEN
        idle = self._idle(node, drops)
        asked = [cut for cut in drops if cut not in idle or self._needing(node, cut)]
        gone, f, lost, more = look(
            node.rows, node.codes, node.of, node.classes, self.ground.first, is_open,
            node.begin, node.end, np.array(asked, dtype=np.int64),
            ask.k, ask.rows, ask.by_label, self.least,
        )  # fmt: skip
        spare, places = ask.limit - gone, node.rows.shape[2]
        room = ask.bound if ask.bound == NOTHING else ask.bound - gone * self._price
        f[lost > spare] = NOTHING
        on = shorter(node.begin, node.end, f, places, room)
        begin, end, f, lost = node.begin[on], node.end[on], f[on], lost[on]
        closed = not len(on)
        if not closed and not is_open.any():
            closed = not within(begin, end, f, lost, places, spare, room)
        dear = {
            cut
            for cut, extra in zip(asked, more, strict=True)
            if not len(shorter(begin, end, f + extra[on], places, room))
        }
        return Sight(replace(node, begin=begin, end=end), closed, dear, idle)

    @property
    def _price(self) -> int:
        """Of a suppressed row."""
        return 1 if self.ask.by_label else self.ask.rows

    def _idle(self, node: Node, cuts: list[int]) -> set[int]:
        """Rules 3 and 4, as far as they do not depend on other cuts."""
        if not cuts:
            return set()
        ask, ground = self.ask, self.ground
        found = useless(
            node.rows, node.codes, node.of, node.classes, ground.column[cuts], ground.place[cuts],
            ask.k, ask.rows, ask.by_label, self.widest,
        )  # fmt: skip
        return {cut for cut, idle in zip(cuts, found, strict=True) if idle}

    def _dropped(self, sight: Sight, drops: list[int]) -> set[int]:
        """The cuts that are out from here on: those dropped, with the open cuts that need them.

        An idle cut can be left out only if no cut that is left needs it.
        """
        if sight.closed:
            return set(drops)
        out = set(sight.dear)
        for cut in sight.dear:
            out |= self._needing(sight.node, cut)
        rest = set(drops) - out
        for cut in rest:
            if cut not in sight.idle or not self._needing(sight.node, cut) <= out | rest:
                raise NoProof("it drops a cut that could make a recoding cheaper")
        return out | rest

    def _needing(self, node: Node, cut: int) -> set[int]:
        return {other for other in self.ground.needed_by[cut] if node.state[other] == OPEN}

    # --- nodes ----------------------------------------------------------------------------------

    def _root(self) -> Node:
        """Forced cuts are in, forbidden ones out, with what these need and what needs those."""
        ground = self.ground
        state = np.full(ground.cuts, OPEN, dtype=np.int8)
        for cut in np.flatnonzero(ground.forbidden).tolist():
            state[[cut, *ground.needed_by[cut]]] = OUT
        made = set(np.flatnonzero(ground.forced).tolist())
        for cut in tuple(made):
            made |= ground.needs[cut]
        state[list(made)] = OPEN
        of = np.zeros(len(ground.codes), dtype=np.int64)
        node = Node(state, ground.rows, ground.codes, of, 1, ground.begin, ground.end)
        node = self._without(node, set())
        for cut in sorted(made):
            node = self._made(node, cut)
        return node

    def _made(self, node: Node, cut: int) -> Node:
        """The node where a cut is in, with those that it needs."""
        ground = self.ground
        state, of, classes = node.state.copy(), node.of, node.classes
        for one in (cut, *ground.needs[cut]):
            if state[one] == OPEN:
                state[one] = IN
                of, classes = part(of, classes, node.codes, ground.column[one], ground.place[one])
        return replace(node, state=state, of=of, classes=classes)

    def _without(self, node: Node, cuts: set[int]) -> Node:
        """The node where cuts are out, over the places at which intervals begin or end."""
        state = node.state.copy()
        state[list(cuts)] = OUT
        rows, codes, of, begin, end = merge(
            node.rows, node.codes, node.of, self.ground.first, state == OUT, node.begin, node.end
        )
        return Node(state, rows, codes, of, node.classes, begin, end)


def least_squares(k: int, rows: int) -> Whole:
    """G: what n rows cost at least by DM, some released in classes of k or more, some suppressed.

    Suppressing one more row costs |D| more, so G(n) = min(Q(n), |D| + G(n − 1)). Of a large table,
    only the first.
    """
    n = np.arange(1 + (rows if rows < 4 * k else min(rows, max(LISTED, k))), dtype=np.int64)
    parts = np.maximum(1, n // k)
    each = n // parts
    squares = parts * each * each + (n - parts * each) * (2 * each + 1)
    squares[1:k] = NOTHING // 2
    suppressed = n * rows
    least: Whole = np.minimum.accumulate(squares - suppressed) + suppressed
    return least
