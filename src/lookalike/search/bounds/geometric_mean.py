"""From a bound on the weighted mean of losses to a bound on the cost, also on a geometric mean."""

from __future__ import annotations

import itertools
import math

from lookalike.cost.column_metric import MarginalCosting
from lookalike.problem.problem import Problem

MAX_COLUMNS = 14  # whose subsets are all tried; the verifier has the same limit


def cost_bound(problem: Problem, mean: float) -> float:
    """No recoding costs less, if its weighted mean of losses is at least ``mean``."""
    costing = problem.costing
    if not (isinstance(costing, MarginalCosting) and costing.geometric):
        return mean
    return geometric_bound(mean, [w for w in problem.ground.weights.tolist() if w > 0])


def geometric_bound(mean: float, weights: list[float]) -> float:
    """A bound on the weighted mean of losses, turned into one on their geometric mean.

    The sum of w log(1 + m) is concave, so it is smallest where some columns lose everything, one
    loses the rest, and the others nothing.
    """
    if len(weights) > MAX_COLUMNS:
        return max(0.0, math.expm1(mean * math.log(2)))
    least = math.inf
    for size in range(len(weights) + 1):
        for full in itertools.combinations(range(len(weights)), size):
            missing = mean - sum(weights[a] for a in full)
            if missing < 0:
                continue
            scores = [w * math.log1p(missing / w) for a, w in enumerate(weights)
                      if a not in full and missing <= w]  # fmt: skip
            if scores:
                least = min(least, (mean - missing) * math.log(2) + min(scores))
    return math.expm1(least) if math.isfinite(least) else 0.0
