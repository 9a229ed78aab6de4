"""Lower bounds on every node of the lattice, from the nodes counted so far.

``base`` and ``extra`` have one entry for each node. They are the two halves of the metric's bound
(proved in ``cost/metric.py``). All coarser nodes, and all finer nodes, are a box of these arrays.
If a coarser node suppresses too many rows, ``extra`` is infinite. A node is open as long as it is
not counted and its score is below that of the best known node.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.metric import Floats
from lookalike.problem.evaluation import Evaluation
from lookalike.problem.problem import Problem

MAX_NODES = 20_000_000  # two arrays of floats and one of flags must fit in memory
ROUNDING = 1e-12  # costs closer than this, relatively, are equal


def below(cost: float) -> float:
    """A node that costs less than this is cheaper by more than rounding."""
    return cost - ROUNDING * max(1.0, abs(cost)) if math.isfinite(cost) else cost


class Lattice:
    """Bounds on every node between the problem's lowest and highest levels."""

    def __init__(self, problem: Problem) -> None:
        self.low = np.array(problem.low, dtype=np.int64)
        self.shape = np.array(problem.high, dtype=np.int64) - self.low + 1
        self.stride = np.cumprod(np.append(1, self.shape[:0:-1]))[::-1].copy()
        self.costing = problem.costing
        base = np.zeros(1)
        for a, (low, high) in enumerate(zip(problem.low, problem.high, strict=True)):
            base = (base[:, None] + self.costing.prior[a, low : high + 1]).reshape(-1)
        self.base: Floats = base
        self.extra: Floats = np.zeros(len(base))
        self.counted: NDArray[np.bool_] = np.zeros(len(base), dtype=np.bool_)

    def learn(self, evaluation: Evaluation) -> None:
        """Update the bounds with one counted node."""
        from lookalike.search.bounds import node_bounds_kernels as kernels  # late: loads numba

        node = evaluation.node
        assert node is not None  # only lattice nodes bound others
        at = np.array(evaluation.levels, dtype=np.int64) - self.low
        self.counted[at @ self.stride] = True
        if not node.finer_meet:
            never = np.full((len(at), int(at.max()) + 1), np.inf)
            kernels.raise_below(self.extra, self.shape, at, never)
        elif node.lost:
            kernels.raise_below(self.extra, self.shape, at, self._above_low(node.cost.extra))
        if node.cost.base > -np.inf:
            kernels.raise_above(self.base, self.shape, at, node.cost.base)

    def _above_low(self, extra: Floats) -> Floats:
        """A reading's extra, level 0 being the lowest level allowed."""
        if not self.low.any():
            return extra
        moved = np.zeros_like(extra)
        for a, low in enumerate(self.low):
            moved[a, : extra.shape[1] - low] = extra[a, low:]
        return moved

    def cheapest(self, cost: float) -> int | None:
        """The open node with the least bound, if that is below ``cost``."""
        from lookalike.search.bounds.node_bounds_kernels import least_open  # late: loads numba

        index = int(least_open(self.base, self.extra, self.counted, self.limit(cost)))
        return None if index < 0 else index

    def climb(self, start: int, cost: float, *, steep: bool) -> int:
        """From an open node up to one above which nothing is open."""
        from lookalike.search.bounds.node_bounds_kernels import climb  # late: loads numba

        limit = self.limit(cost)
        return int(climb(self.base, self.extra, self.counted, self.shape, start, limit, steep))

    def may_cost(self, levels: tuple[int, ...], cost: float) -> bool:
        """Could this node, not counted yet, cost no more than ``cost``?"""
        index = int((np.array(levels, dtype=np.int64) - self.low) @ self.stride)
        score = float(self.base[index] + self.extra[index])
        least = self.costing.value(score) if score < np.inf else np.inf
        return not self.counted[index] and below(least) <= cost

    def limit(self, cost: float) -> float:
        """Only nodes whose score is below this can be cheaper than ``cost``."""
        return self.costing.score(below(cost))

    def levels(self, index: int) -> tuple[int, ...]:
        """The levels of the node at an index of the flat arrays."""
        at = index // self.stride % self.shape + self.low
        return tuple(at.tolist())

    def bound(self) -> float:
        """No open node costs less than this; infinite if none is open."""
        scores = np.where(self.counted, np.inf, self.base + self.extra)
        least = float(scores.min(initial=np.inf))
        return self.costing.value(least) if least < np.inf else np.inf
