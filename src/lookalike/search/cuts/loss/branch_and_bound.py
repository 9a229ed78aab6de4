"""K-Optimize by loss and entropy: the tree of cuts, least bound first, bounded by nested recodings.

A node's bound is the cheapest recoding in which the cuts of a column may differ from interval to
interval of the columns before it (``docs/explanation/cut-proofs.md``). A node also gives a
recoding: a cut is made if it is made for most rows of this nested recoding. The tree branches on a
cut that is made for some rows and not for others, and would be expensive to leave out.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.search.bounds.node_bounds import below
from lookalike.search.cuts.k_optimize_arrays import IN, OPEN, OUT, State
from lookalike.search.cuts.k_optimize_tree import with_and_without
from lookalike.search.cuts.loss.layout import Floats, LossInstance, Whole
from lookalike.search.cuts.loss.nested_recodings import Nest, nests, price, price_exactly
from lookalike.search.run import Run
from lookalike.solution.proof import BRANCH, CLOSED, LEFT, By, CutTree

BATCH_BOXES = 1 << 22  # priced between two checks of the limits
MAX_TRIES = 400  # recodings tried to improve on the first
DOUBT_SHARE = 1e-3  # of the greatest doubt, to count as one

NO_VOTES: Floats = np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False)
class LossNode:
    """An open node of the tree."""

    bound: float  # on what all rows pay
    number: int  # where it stands in the record
    state: State
    live: Whole  # the intervals of the long column that are left


class LossSearch:
    """The queue of open nodes, and the record of all that was closed."""

    def __init__(self, instance: LossInstance, run: Run, digest: str, below_all: float) -> None:
        self.instance = instance
        self.run = run
        self.digest = digest
        self.below_all = below_all
        self.every = np.arange(len(instance.intervals.begin))
        self.places = instance.before.shape[1]
        self.marks: list[int] = [LEFT]
        self.children: list[int] = [0]  # the first of two, if it branches
        self.queue: list[tuple[float, int, LossNode]] = []

    @property
    def aim(self) -> float:
        """Only recodings cheaper than this are looked for."""
        return min(self.below_all, self.run.cost)

    @property
    def upper(self) -> float:
        """What rows must pay less than, to be cheaper by more than rounding."""
        return self.instance.payment(below(self.aim))

    def explore(self, resume: CutTree | None = None) -> None:
        """Until nothing that is left open could be cheaper."""
        self._begin(np.array([LEFT]) if resume is None else resume.marks)
        self.run.tree = self.written
        self._prove()
        while self.queue and self.queue[0][0] < self.upper:
            self.run.mind_limits()
            node = self.queue[0][2]  # it stays there until all is known of it
            mark, children = self._look(node)
            if children:
                self._branched(node.number)
            self.marks[node.number] = mark
            heapq.heappop(self.queue)
            for child in children:
                heapq.heappush(self.queue, (child.bound, child.number, child))
            self.run.checks += 1
            self._prove()
            self.run.tick()

    def _prove(self) -> None:
        """What follows from the tree so far."""
        least = self.queue[0][0] if self.queue else math.inf
        self.run.prove(min(self.aim, self.instance.cost(least)), By.TREE)

    # --- a node ---------------------------------------------------------------------------------

    def _look(self, node: LossNode) -> tuple[int, list[LossNode]]:
        """What becomes of a node, and its children if it branches."""
        from lookalike.search.cuts.loss.bound_kernels import shortest_paths  # late: loads numba

        instance = self.instance
        live = self._keep_to_limit(node)
        if not len(live) or not (node.state == OPEN).any():
            return CLOSED, []
        paid = np.full(len(live), -math.inf)
        for nest in nests(instance, node.state):
            paid = np.maximum(paid, self._price(nest, live))
            intervals = instance.intervals.take(live)
            there, back, came = shortest_paths(intervals, paid, self.places)
            if there[-1] >= self.upper:
                return CLOSED, []
            path = live[_path(came, intervals.begin)]
            cheap = there[intervals.begin] + paid + back[intervals.end] < self.upper
            live, paid = live[cheap], paid[cheap]
        bound = max(node.bound, float(there[-1]))
        votes = np.zeros(len(node.state))
        price(instance, nest, path, votes)
        share = votes / instance.cuts.table.rows
        self._round(node, share)
        cut, number = self._doubted(node.state, share), len(self.marks)
        made, without = self._both(node.state, cut)
        children = [LossNode(bound, number, made, live), LossNode(bound, number + 1, without, live)]
        return BRANCH - cut, children

    def _price(self, nest: Nest, live: Whole) -> Floats:
        """Some intervals at a time, so that a limit ends it soon."""
        size = max(1, BATCH_BOXES // nest.boxes)
        parts = []
        for start in range(0, len(live), size):
            self.run.mind_limits()
            parts.append(price(self.instance, nest, live[start : start + size], NO_VOTES))
        return np.concatenate(parts)

    def _both(self, state: State, cut: int) -> tuple[State, State]:
        """With a cut, and without it."""
        return with_and_without(state, cut, self.instance.cuts.table.needs)

    def _doubted(self, state: State, share: Floats) -> int:
        """The cut to branch on: in doubt, dear to leave out, of the column with fewest open."""
        dear = np.full(len(state), -1.0)
        for b, (places, _) in enumerate(self.instance.segments(state)):
            dear[self.instance.cuts.table.first[b] + places[1:-1] - 1] = self._joined(b, places)
        dear[state != OPEN] = -1.0
        doubt = np.minimum(share, 1 - share) * dear
        if doubt.max() <= 0:
            return int(np.argmax(dear))
        cuts = self.instance.cuts
        column = np.repeat(np.arange(len(cuts.table.first)), cuts.table.width - 1)
        still = np.bincount(column[state == OPEN], minlength=len(cuts.table.first))
        doubted = np.flatnonzero(doubt > DOUBT_SHARE * dear.max())
        if len(doubted):
            doubt[column != min(column[doubted], key=lambda b: int(still[b]))] = -1.0
        return int(np.argmax(doubt))

    def _joined(self, b: int, places: Whole) -> Floats:
        """What rows of a column pay more if the segments on both sides of a place are joined."""
        lose, profile = self.instance.lose[b], self.instance.cuts.table.codes[:, b]
        held = np.bincount(profile, weights=self.instance.before[:, -1], minlength=len(lose) - 1)
        rows = np.concatenate([[0.0], np.cumsum(held)])
        i, m, j = places[:-2], places[1:-1], places[2:]
        joined = np.minimum(lose[i, j], self.instance.terms.full)  # infinite where it may not be
        apart = (rows[m] - rows[i]) * lose[i, m] + (rows[j] - rows[m]) * lose[m, j]
        more: Floats = np.maximum((rows[j] - rows[i]) * joined - apart, 0.0)
        return more

    # --- recodings ------------------------------------------------------------------------------

    def _keep_to_limit(self, node: LossNode) -> Whole:
        """The intervals by which the limit can be kept; tries the recoding without open cuts."""
        from lookalike.search.cuts.loss.bound_kernels import shortest_paths  # late: loads numba

        exact = np.where(node.state == OPEN, OUT, node.state).astype(np.int8)
        paid, lost = price_exactly(self.instance, next(nests(self.instance, exact)), node.live)
        intervals = self.instance.intervals.take(node.live)
        there, back, _ = shortest_paths(intervals, lost.astype(np.float64), self.places)
        least = there[intervals.begin] + lost + back[intervals.end]
        kept = least <= self.instance.terms.limit
        live: Whole = node.live[kept]
        self._offer(exact, live, paid[kept], lost[kept])
        return live

    def _try(self, exact: State) -> float:
        """What is paid with exactly these cuts, the long column being cut in the best way."""
        self.run.mind_limits()
        paid, lost = price_exactly(self.instance, next(nests(self.instance, exact)), self.every)
        return self._offer(exact, self.every, paid, lost)

    def _offer(self, exact: State, live: Whole, price: Floats, lost: Whole) -> float:
        from lookalike.search.cuts.loss.bound_kernels import shortest_paths, shortest_within_limit

        instance, limit = self.instance, self.instance.terms.limit
        intervals = instance.intervals.take(live)
        there, _, came = shortest_paths(intervals, price, self.places)
        paid = float(there[-1])
        if paid >= self.upper:
            return paid
        path = _path(came, intervals.begin)
        if lost[path].sum() > limit:
            paid, path = shortest_within_limit(intervals, price, lost, limit, self.places)
        if paid < self.upper:
            flags = np.zeros(len(exact) + len(instance.cuts.table.banned), dtype=np.bool_)
            flags[: len(exact)] = exact == IN
            flags[len(exact) + instance.cuts.places[intervals.begin[path]]] = True
            flags[len(exact)] = False  # every path begins there
            self.run.keep((instance.cost(paid), instance.cuts.recoding(flags)))
        return paid

    def _round(self, node: LossNode, share: Floats) -> None:
        """Make the cuts that most rows see made, and no others; at the root, improve on that."""
        state = node.state
        for cut in np.argsort(-share, kind="stable").tolist():
            if state[cut] == OPEN:
                state = self._both(state, cut)[0 if share[cut] >= 0.5 else 1]
        paid = self._try(state)
        if node.number == 0:
            self._climb(state, paid)

    def _climb(self, state: State, paid: float) -> None:
        """One cut more or one less, as long as that helps."""
        free = np.flatnonzero(self.instance.cuts.state == OPEN).tolist()
        since = 0
        for cut in (free * MAX_TRIES)[:MAX_TRIES]:
            other = self._turned(state, cut)
            value = self._try(other)
            since += 1
            if value < paid:
                state, paid, since = other, value, 0
            if since >= len(free):
                break

    def _turned(self, state: State, cut: int) -> State:
        """The same cuts but for one, and what this needs or what needs it."""
        turned = self._both(self.instance.cuts.state, cut)[int(state[cut] == IN)]
        for other in np.flatnonzero(state == IN).tolist():
            if turned[other] == OPEN:
                turned = self._both(turned, other)[0]
        return np.where(turned == OPEN, OUT, turned).astype(np.int8)

    # --- the record -----------------------------------------------------------------------------

    def _begin(self, marks: NDArray[np.int16] | NDArray[np.int64]) -> None:
        """Open what a tree leaves open; what it has closed is believed until verified."""
        state = self.instance.cuts.state
        waiting = [(0, state)]
        left = []
        for mark in marks.tolist():
            if not waiting:
                break
            number, state = waiting.pop()
            cut = BRANCH - mark
            if 0 <= cut < len(state) and state[cut] == OPEN:
                made, without = self._both(state, cut)
                first = self._branched(number)
                waiting += [(first + 1, without), (first, made)]
            elif mark != CLOSED:
                left.append((number, state))
                continue
            self.marks[number] = mark
        for number, state in [*left, *waiting]:
            node = LossNode(-math.inf, number, state, self.every)
            heapq.heappush(self.queue, (node.bound, number, node))

    def _branched(self, number: int) -> int:
        """Room for two children; returns the number of the first."""
        self.children[number] = len(self.marks)
        self.marks += [LEFT, LEFT]
        self.children += [0, 0]
        return self.children[number]

    def written(self) -> CutTree:
        """The whole tree in preorder."""
        marks, stack = [], [0]
        while stack:
            number = stack.pop()
            marks.append(self.marks[number])
            if marks[-1] <= BRANCH:
                stack += [self.children[number] + 1, self.children[number]]
        long = self.instance.cuts.space.names[self.instance.cuts.long]
        return CutTree(long, np.array(marks, dtype=np.int16), self.digest, self.aim)


def _path(came: Whole, begin: Whole) -> Whole:
    """The intervals of a path, from its last."""
    path, j = [], len(came) - 1
    while j > 0:
        path.append(int(came[j]))
        j = int(begin[path[-1]])
    return np.array(path, dtype=np.int64)
