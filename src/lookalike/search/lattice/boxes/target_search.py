"""Prove that no node costs less than a target: depth first through boxes of the lattice.

A box is closed if nothing in it can meet the policy below the target. Otherwise its ends are
probed: counts of a few nodes at its border give clauses that make it smaller. If it is still open,
it is divided along one column. The proof is written down on the way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.metric import Floats
from lookalike.counts.remote_counts import Node
from lookalike.search.lattice.boxes.clauses import Clauses
from lookalike.search.lattice.boxes.node_counts import NodeCounter, Tuples
from lookalike.search.lattice.boxes.proof_writer import ProofWriter
from lookalike.search.run import Run

Whole = NDArray[np.int64]
WORTH = 0.002  # of the budget: a bound that is raised by less is not written into the proof
SOFT = 0.02  # keeps both factors of the branching score above 0


@dataclass(slots=True, eq=False)
class Box:
    """The nodes from ``low`` to ``high``, and what is known about all of them."""

    low: Whole  # (columns,)
    high: Whole
    score: Floats  # (columns, levels) its sum at a node's levels bounds the node's score
    active: Whole  # numbers of clauses
    since: int  # clauses from this number on are not in ``active`` yet
    tuples: Tuples  # the table collapsed at ``low`` or at a finer node

    def node(self, end: Whole) -> Node:
        """One of its ends as a node."""
        return tuple(end.tolist())

    def divided(self, column: int, level: int) -> tuple[Box, Box]:
        """The part up to a level of a column, and the rest."""
        below = Box(
            self.low.copy(), self.high.copy(), self.score, self.active, self.since, self.tuples
        )
        above = Box(
            self.low.copy(), self.high.copy(), self.score, self.active, self.since, self.tuples
        )
        below.high[column] = level
        above.low[column] = level + 1
        return below, above


class TargetSearch:
    """One tree of boxes for one target, which falls when a cheaper node is found."""

    def __init__(self, run: Run, counter: NodeCounter, clauses: Clauses, target: float) -> None:
        self.run, self.counter, self.clauses = run, counter, clauses
        self.problem = run.problem
        self.costing = run.problem.costing
        self.target = target  # a score
        self.proof = ProofWriter()
        self.random = np.random.default_rng(run.seed)
        self.last = math.inf  # counts of the run, before it gives up

    def prove(self, patience: float = math.inf) -> bool:
        """Close every box, within a number of counts; then nothing costs less than the target."""
        self.last = self.run.checks + patience
        problem = self.problem
        low = np.array(problem.low, dtype=np.int64)
        high = np.array(problem.high, dtype=np.int64)
        score = _never_falling(self.costing.prior, high)
        self.ground = tuples = self.counter.collapse(problem.low, self.counter.ground)
        return self._close(Box(low, high, score, np.zeros(0, np.int64), 0, tuples))

    def _close(self, box: Box) -> bool:
        """Prove that nothing in a box costs less than the target; False if that takes too long."""
        if self.run.checks > self.last:
            return False
        self.run.mind_limits()
        named = set(self.proof.cited)
        if self._shrinks_to_nothing(box):
            self._cite_used()
            self.proof.close()
        else:
            self._cite_used()
            column, level = self._where_to_divide(box)
            self.proof.split(column, level)
            for part in box.divided(column, level):
                if not self._close(part):
                    return False
        self.proof.cited = named
        return True

    def _shrinks_to_nothing(self, box: Box) -> bool:
        """Make the box as small as counts of some nodes allow; is nothing left of it?"""
        if self._propagate(box):
            return True
        while True:
            if self._count_high(box):
                return True
            if not self.counter.adds_up:
                return self._bound_by_base(box)
            before = box.node(box.low), box.node(box.high)
            self.kept: dict[int, int] = {}
            self.raised: dict[int, int] = {}
            if (
                self._count_low(box)
                or self._probe_low(box)
                or self._probe_high(box)
                or self._find_disjoint(box)
            ):
                return True
            if before == (box.node(box.low), box.node(box.high)):
                return False

    def _propagate(self, box: Box) -> bool:
        """Apply all clauses until nothing changes; is the box closed?"""
        from lookalike.search.lattice.boxes.propagation_kernels import (
            CLOSED,
            add_up,
            cut_by_sum,
            propagate,
        )

        clauses = self.clauses
        while True:
            if box.since < clauses.count:
                fresh = np.arange(box.since, clauses.count)
                box.active, box.since = np.concatenate((box.active, fresh)), clauses.count
            state, box.active = propagate(
                box.low, box.high, box.score, self.target, clauses.levels, box.active, clauses.used
            )
            if state == CLOSED:
                return True
            if not len(box.active):
                return False
            changed = False
            for by_size in (False, True):
                chosen, total, owner, _ = add_up(
                    box.low, box.high, box.score, self.target, clauses.levels, box.active, by_size
                )
                state, lowered = cut_by_sum(box.low, box.high, box.score, self.target, total, owner)
                if state == CLOSED or lowered:
                    self._cite_used()
                    self.proof.add_up([clauses.node(int(c)) for c in chosen])
                    changed = True
                    break
            if state == CLOSED:
                return True
            if not changed:
                return False

    def _cite_used(self) -> None:
        for clause in self.clauses.take_used():
            self.proof.cite(self.clauses.node(clause))

    def _learn(self, node: Node) -> None:
        """Keep a broken node; if no row may be suppressed, a coarser one that is broken as well.

        Measured: without suppression, coarser nodes close more boxes. With suppression they are not
        much coarser, and finding them takes as long as everything else.
        """
        self.clauses.add(node if self.counter.limit else self._coarsened(node))

    def _coarsened(self, node: Node) -> Node:
        """A broken node with some columns raised to the top; each time as many as possible."""
        top, broken = self.problem.high, list(node)
        order = self.random.permutation([a for a in range(len(node)) if node[a] < top[a]]).tolist()
        while order:
            raised, most = 0, len(order)
            while raised < most:
                middle = (raised + most + 1) // 2
                trial = broken.copy()
                for a in order[:middle]:
                    trial[a] = top[a]
                if self.counter.breaks(tuple(trial), self.ground):
                    raised = middle
                else:
                    most = middle - 1
            for a in order[:raised]:
                broken[a] = top[a]
            order = order[raised + 1 :]
        return tuple(broken)

    def _count_high(self, box: Box) -> bool:
        """Count the high end: does it break the policy, or cost too much?"""
        low, high = box.node(box.low), box.node(box.high)
        if self.counter.breaks(high, box.tuples):
            self._learn(high)
            return self._propagate(box)
        box.tuples = self.counter.between(low, high, box.tuples)
        return self._raise_score(box, high)

    def _raise_score(self, box: Box, high: Node) -> bool:
        """Use what the rows cost that are suppressed at the high end."""
        if not self.counter.lost(high, box.tuples):
            return False
        extra = self.counter.bounds(high, box.tuples).extra
        if extra is None:
            return False
        score = _never_falling(self.costing.prior + extra, box.high)
        columns = np.arange(len(high))
        before, after = (float(s[columns, box.low].sum()) for s in (box.score, score))
        budget = self.target - before
        if after - before > WORTH * budget or after >= self.target:
            box.score = score
            self._cite_used()
            self.proof.cite(high)
            return self._propagate(box)
        return False

    def _count_low(self, box: Box) -> bool:
        """Count the low end: if it meets the policy, it may lower the target."""
        low = box.node(box.low)
        if self.counter.breaks(low, box.tuples):
            if (box.low == box.high).all():
                self._learn(low)
                return self._propagate(box)
            return False
        single = bool((box.low == box.high).all())
        if single or self.counter.cost(low, box.tuples) < self.costing.value(self.target):
            self._check(low)
            if single:
                self._cite_used()
                self.proof.cite(low)
                return True
            return self._propagate(box)
        return False

    def _check(self, node: Node) -> None:
        """Offer a node to the run; if it is the best, the target falls."""
        from lookalike.search.bounds.node_bounds import below

        self.run.check(node)
        if math.isfinite(self.run.cost):
            self.target = min(self.target, self.costing.score(below(self.run.cost)))

    def _probe_low(self, box: Box) -> bool:
        """If nothing meets the policy with a column at its low end, raise that end."""
        changed = True
        while changed:
            changed = False
            for a in np.flatnonzero(box.low < box.high).tolist():
                if box.low[a] >= box.high[a]:
                    continue
                node = box.high.copy()
                node[a] = box.low[a]
                lost = self.counter.lost(box.node(node), box.tuples)
                if lost > self.counter.limit:
                    self._learn(box.node(node))
                    if self._propagate(box):
                        return True
                    changed = True
                else:
                    self.kept[a] = lost
        return False

    def _probe_high(self, box: Box) -> bool:
        """If nothing that the budget pays meets the policy with a column raised, lower its end."""
        for a in np.flatnonzero(box.low < box.high).tolist():
            for level in (int(box.low[a]) + 1, int(box.high[a])):
                if not box.low[a] < level <= box.high[a]:
                    continue
                node = self._payable(box, a, level)
                lost = self.counter.lost(node, box.tuples)
                if lost > self.counter.limit:
                    self._learn(node)
                    if self._propagate(box):
                        return True
                elif level == box.low[a] + 1:
                    self.raised[a] = lost
        return False

    def _payable(self, box: Box, a: int, level: int) -> Node:
        """The highest levels that the budget pays if a column is at a level or above."""
        columns = np.arange(len(box.low))
        start = box.score[columns, box.low]
        budget = self.target - start.sum() - (box.score[a, level] - start[a])
        node = box.high.copy()
        for b in columns:
            if b != a:
                while node[b] > box.low[b] and box.score[b, node[b]] - start[b] >= budget:
                    node[b] -= 1
        return box.node(node)

    def _find_disjoint(self, box: Box) -> bool:
        """Find clauses over different columns: what they ask for adds up."""
        from lookalike.search.lattice.boxes.propagation_kernels import add_up

        _, _, _, taken = add_up(
            box.low, box.high, box.score, self.target, self.clauses.levels, box.active, True
        )
        free = [a for a in np.flatnonzero(box.low < box.high).tolist() if not taken[a]]
        learned = False
        while free:
            node = self._broken_with(box, free)
            if node is None:
                break
            self._learn(node)
            learned = True
            if node == box.node(box.high):  # the high end has come down since it was counted
                break
            free = [a for a in free if node[a] >= box.high[a]]
        return learned and self._propagate(box)

    def _broken_with(self, box: Box, free: list[int]) -> Node | None:
        """A broken node, below the high end in these columns only, with a high price above it."""
        columns = np.arange(len(box.low))
        start = box.score[columns, box.low]
        prices = sorted(
            {
                float(box.score[a, level] - start[a])
                for a in free
                for level in range(int(box.low[a]) + 1, int(box.high[a]) + 1)
            }
        )
        best: Whole | None = None
        first, last = 0, len(prices)
        while first < last:  # the highest price that breaks
            middle = (first + last) // 2
            node = box.high.copy()
            for a in free:
                level = int(box.low[a])
                while level < box.high[a] and box.score[a, level + 1] - start[a] < prices[middle]:
                    level += 1
                node[a] = level
            if self.counter.breaks(box.node(node), box.tuples):
                best, first = node, middle + 1
            else:
                last = middle
        if best is None:
            return None
        order = sorted(free, key=lambda a: float(box.score[a, box.high[a]] - start[a]))
        for a in order:
            if best[a] < box.high[a]:
                node = best.copy()
                node[a] = box.high[a]
                if self.counter.breaks(box.node(node), box.tuples):
                    best = node
        return box.node(best)

    def _where_to_divide(self, box: Box) -> tuple[int, int]:
        """The column that rules out most on both sides, and the last level of the lower part."""
        open_columns = np.flatnonzero(box.low < box.high).tolist()
        if not self.counter.adds_up:
            a = max(open_columns, key=lambda a: int(box.high[a] - box.low[a]))
            return a, int(box.low[a] + box.high[a]) // 2
        columns = np.arange(len(box.low))
        start = box.score[columns, box.low]
        budget = self.target - start.sum()
        rows = self.counter.limit + 1

        def rank(a: int) -> float:
            step = (
                float(box.score[a, box.low[a] + 1] - start[a]) / budget if budget < math.inf else 0
            )
            lower = self.kept.get(a, 0) / rows
            upper = self.raised.get(a, 0) / rows
            return (lower + SOFT) * (upper + step + SOFT)

        a = max(open_columns, key=rank)
        return a, int(box.low[a])

    def _bound_by_base(self, box: Box) -> bool:
        """For metrics that count classes: what the low end cannot undo; and a node's own cost."""
        low, high = box.node(box.low), box.node(box.high)
        if box.tuples.node != low:
            box.tuples = self.counter.collapse(low, box.tuples)
        upper = self.counter.bounds(high, box.tuples)
        lower = self.counter.bounds(low, box.tuples)
        columns = np.arange(len(low))
        score = max(float(self.costing.prior[columns, box.low].sum()), lower.base)
        if upper.extra is not None:
            least = [upper.extra[a, low[a] : high[a] + 1].min() for a in columns]
            score += float(sum(least))
        self._check(low)
        if score >= self.target or low == high:
            self._cite_used()
            self.proof.cite(high)
            self.proof.cite(low)
            return True
        return False


def _never_falling(score: Floats, high: Whole) -> Floats:
    """(columns, levels) at each level the least value from there up to the high end."""
    least = score.copy()
    for a, top in enumerate(high.tolist()):
        least[a, : top + 1] = np.minimum.accumulate(score[a, top::-1])[::-1]
    return least
