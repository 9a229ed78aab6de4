"""Lower bounds on every node of the lattice, from the nodes counted so far.

Each node has two numbers, ``base`` and ``extra``. They are the two halves of the metric's bound
(proved in ``cost/metric.py``). A counted node raises ``base`` at all coarser nodes, and ``extra``
at all finer ones, which are boxes of the lattice. If a coarser node suppresses too many rows,
``extra`` is infinite. A node is open as long as it is not counted and its score, the sum of both,
is below that of the best known node.

Nothing is written when a node is counted: it only joins a list. The lattice is divided into blocks.
When a block is read, it is brought up to date with the nodes counted since it was last read. Scores
never fall, so an old minimum of a block is still a bound, and only blocks that look cheap are read.
"""

from __future__ import annotations

import math
from enum import Enum

import numpy as np

from lookalike.cost.metric import Floats
from lookalike.problem.evaluation import Evaluation
from lookalike.problem.problem import Problem

MAX_NODES = 20_000_000  # two arrays of floats must fit in memory
BLOCK_NODES = 512  # at least, if the lattice has as many
ROUNDING = 1e-12  # costs closer than this, relatively, are equal


class Climb(Enum):
    """Which steps to take from the cheapest open node up to coarser ones."""

    NOT = 0
    CHEAP = 1
    STEEP = 2  # the most expensive


def below(cost: float) -> float:
    """A node that costs less than this is cheaper by more than rounding."""
    return cost - ROUNDING * max(1.0, abs(cost)) if math.isfinite(cost) else cost


class Lattice:
    """Bounds on every node between the problem's lowest and highest levels."""

    def __init__(self, problem: Problem) -> None:
        from lookalike.search.bounds.node_bounds_kernels import Blocks, Counted  # late: loads numba

        self.low = np.array(problem.low, dtype=np.int64)
        self.from_ground = not self.low.any()
        self.shape = np.array(problem.high, dtype=np.int64) - self.low + 1
        self.stride = np.cumprod(np.append(1, self.shape[:0:-1]))[::-1].copy()
        self.costing = problem.costing
        prior = self._above_low(self.costing.prior)
        self.blocks = Blocks.begin(self.shape, prior, BLOCK_NODES)
        self.counted = Counted.begin(prior.shape)

    def learn(self, evaluation: Evaluation) -> None:
        """Remember what one counted node says about the others."""
        node = evaluation.node
        assert node is not None  # only lattice nodes bound others
        at = np.array(evaluation.levels, dtype=np.int64) - self.low
        extra = self._above_low(node.cost.extra) if node.finer_meet and node.lost else None
        self.counted = self.counted.add(at, node.cost.base, extra, closes=not node.finer_meet)

    def _above_low(self, values: Floats) -> Floats:
        """(attributes, levels) the same, level 0 being the lowest level allowed."""
        if self.from_ground:
            return values
        moved = np.zeros_like(values)
        for a, low in enumerate(self.low):
            moved[a, : values.shape[1] - low] = values[a, low:]
        return moved

    def open_node(self, cost: float, climb: Climb = Climb.NOT) -> int | None:
        """The open node with the least bound, if that is below ``cost``; None if there is none.

        Or the node to which it climbs from there, above which nothing is open.
        """
        from lookalike.search.bounds.node_bounds_kernels import open_node  # late: loads numba

        index = int(open_node(self.blocks, self.counted, self.limit(cost), climb.value))
        return None if index < 0 else index

    def may_cost(self, levels: tuple[int, ...], cost: float) -> bool:
        """Could this node, not counted yet, cost no more than ``cost``?"""
        score = self.score(int((np.array(levels, dtype=np.int64) - self.low) @ self.stride))
        return score < np.inf and below(self.costing.value(score)) <= cost

    def score(self, index: int) -> float:
        """The bound of a node as a score; infinite if it is counted or cannot meet the policy."""
        from lookalike.search.bounds.node_bounds_kernels import score  # late: loads numba

        return float(score(self.blocks, self.counted, index))

    def limit(self, cost: float) -> float:
        """Only nodes whose score is below this can be cheaper than ``cost``."""
        return self.costing.score(below(cost))

    def levels(self, index: int) -> tuple[int, ...]:
        """The levels of the node at an index of the flat arrays."""
        at = index // self.stride % self.shape + self.low
        return tuple(at.tolist())

    def bound(self, cost: float) -> float:
        """No open node costs less than this; ``cost``, that of the best known, if none is open."""
        index = self.open_node(cost)
        return cost if index is None else self.costing.value(self.score(index))
