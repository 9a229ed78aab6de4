"""The support bound for cell-level recodings: what each row loses at least, in whatever class.

A released row shows a generalization of itself that k released rows show, so at least k rows of the
table have that generalization too. The row loses at least as much as by the cheapest generalization
that k rows share. If it is suppressed, it loses everything, which is never less (LB2 of Sweeney's
cell-level space).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.column_metric import MarginalCosting
from lookalike.search.bounds.cell_layout import CellLayout, has_nested_labels, lay_out
from lookalike.search.interruption import interruptible, unlimited
from lookalike.search.run import Run
from lookalike.solution.proof import By

MAX_SCANNED_GROUPS = 1 << 32  # nodes times groups; the verifier has the same limit
MAX_COLUMNS = 14  # whose subsets are all tried; the verifier has the same limit


def prove_support_bound(run: Run) -> None:
    """Raise the run's bound, if the metric is a sum over cells or a geometric mean of sums.

    Raises Stopped at a limit of time or memory.
    """
    problem = run.problem
    costing = problem.costing
    if not (
        isinstance(costing, MarginalCosting) and problem.one_set and has_nested_labels(problem)
    ):
        return
    layout = lay_out(problem)
    if layout.nodes * len(layout.rows) > MAX_SCANNED_GROUPS:
        return
    bound = support_bound(layout, run.mind_clock)
    if costing.geometric:
        bound = _geometric_bound(bound, [w for w in problem.ground.weights.tolist() if w > 0])
    run.prove(bound, By.SUPPORT_BOUND)


def _geometric_bound(mean: float, weights: list[float]) -> float:
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


def support_bound(layout: CellLayout, check_limits: Callable[[], None] = unlimited) -> float:
    """No cell-level recoding costs less."""
    lost = float(least_losses(layout, check_limits) @ layout.rows)
    return lost / max(1, int(layout.rows.sum()))


def least_losses(
    layout: CellLayout, check_limits: Callable[[], None] = unlimited
) -> NDArray[np.float64]:
    """(groups,) what a row of each group loses at least."""
    from lookalike.search.bounds.support_bound_kernels import lower  # late: loads numba

    least = layout.without_lookalikes.copy()
    interruptible(check_limits, lower, layout.few_values_first(), least)
    return least
