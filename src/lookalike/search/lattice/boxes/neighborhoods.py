"""Large neighborhoods: take a good node apart in a few columns, repair it, and step down again.

One round raises up to three random columns and lowers up to two others. If the node then breaks the
policy, columns are raised one by one, those first that save most rows from suppression for their
price. Then columns are lowered as long as that costs less. A result that costs no more is kept.
"""

from __future__ import annotations

import math

import numpy as np

from lookalike.counts.remote_counts import Node
from lookalike.search.bounds.node_bounds import below
from lookalike.search.lattice.boxes.node_counts import NodeCounter, Tuples
from lookalike.search.run import Run

MAX_RAISED, LOWERED = 3, 2  # columns in one round
NOISE = 0.5  # in the order in which columns are lowered


class Neighborhoods:
    """A search from the best node known; ``run`` keeps what it finds."""

    def __init__(self, run: Run, counter: NodeCounter) -> None:
        self.run, self.counter, self.problem = run, counter, run.problem
        self.random = np.random.default_rng(run.seed)
        self.low, self.high = run.problem.low, run.problem.high
        self.columns = [a for a, low in enumerate(self.low) if low < self.high[a]]
        self.ground = counter.collapse(self.low, counter.ground)
        self.node = self.high
        self.cost = math.inf

    def start(self) -> bool:
        """A first node that meets the policy. Is there one?

        From the highest node, columns are lowered: that takes few counts, so that a search which is
        soon stopped has a result. Then, from the lowest, columns are raised.
        """
        self.start_at(self.high)
        node = self._repaired(self.low)
        return (node is not None and self.start_at(node)) or math.isfinite(self.cost)

    def start_at(self, node: Node) -> bool:
        """Offer a node, and lower its columns. Does it meet the policy?"""
        cost = self.counter.cost(node, self.ground)
        if math.isfinite(cost):
            self._offer(node, cost)
            self._offer(*self._lowered(node, cost))
        return math.isfinite(cost)

    def round(self) -> bool:
        """One neighbor. Does it cost less than the best?"""
        before = self.cost
        node = self._repaired(self._shaken())
        if node is not None:
            self._offer(*self._lowered(node, self.counter.cost(node, self.ground)))
        return self.cost < below(before)

    def search(self, rounds: int) -> None:
        """Rounds, until this number of them in turn find nothing better."""
        idle = 0
        while self.columns and idle < rounds:
            idle = 0 if self.round() else idle + 1

    def _offer(self, node: Node, cost: float) -> None:
        if math.isfinite(cost) and cost <= self.cost:
            if cost < below(self.cost) and cost < below(self.run.cost):
                self.run.check(node)
            self.node, self.cost = node, cost

    def _shaken(self) -> Node:
        """Up to three columns raised, up to two others lowered, to random levels."""
        node = list(self.node)
        chosen = self.random.permutation(self.columns)
        raised = int(self.random.integers(1, MAX_RAISED + 1))
        for a in chosen[:raised]:
            node[a] = int(self.random.integers(node[a], self.high[a] + 1))
        for a in chosen[raised : raised + LOWERED]:
            if self.random.random() < 0.5:
                node[a] = int(self.random.integers(self.low[a], node[a] + 1))
        return tuple(node)

    def _repaired(self, node: Node) -> Node | None:
        """Raise columns until few enough rows are suppressed; None if that cannot be."""
        counter = self.counter
        if not counter.breaks(node, self.ground):
            return node
        prior = self.problem.costing.prior
        tuples = counter.collapse(node, self.ground)
        small = counter.small_rows(node, tuples)
        while small > counter.limit:
            steps = [(a, level) for a in self.columns for level in self._next_levels(node, a)]
            if not steps:
                return None
            best = -1.0, node, small
            for a, level in steps:
                raised = (*node[:a], level, *node[a + 1 :])
                rows = counter.small_rows(raised, tuples)
                price = max(prior[a, level] - prior[a, node[a]], 1e-9)
                noise = 1 + NOISE * self.random.random()
                gain = (small - max(rows, counter.limit)) / price * noise
                if gain > best[0]:
                    best = gain, raised, rows
            _, node, small = best
            tuples = counter.collapse(node, tuples)
        return node

    def _next_levels(self, node: Node, a: int) -> range:
        return range(node[a] + 1, min(node[a] + 2, self.high[a]) + 1)

    def _lowered(self, node: Node, cost: float) -> tuple[Node, float]:
        """Lower columns while that costs less."""
        prior = self.problem.costing.prior
        tuples: Tuples = self.counter.between(self.low, node, self.ground)
        refused: set[int] = set()
        while True:
            steps = [a for a in self.columns if node[a] > self.low[a] and a not in refused]
            if not steps:
                return node, cost
            saved = [
                (prior[a, node[a]] - prior[a, node[a] - 1] + 1e-12)
                * (1 + NOISE * self.random.random())
                for a in steps
            ]
            a = steps[int(np.argmax(saved))]
            finer = (*node[:a], node[a] - 1, *node[a + 1 :])
            least = self.counter.cost(finer, tuples)
            if least <= cost:
                node, cost = finer, least
            else:
                refused.add(a)
