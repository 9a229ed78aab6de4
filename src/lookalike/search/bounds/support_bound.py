"""A bound for cell-level recodings: what each row pays at least, whichever rows it is put with.

A released row shows a generalization of itself that k released rows show, so at least k rows of the
table have that generalization too. The row pays at least the cheapest one that k rows share; if it
is left out it pays in full, which is never less (LB2 of Sweeney's cell-level space).
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.column_metric import MarginalCosting
from lookalike.search.bounds.cell_layout import Layout, clear, lay_out
from lookalike.search.run import Run
from lookalike.solution.proof import By

WORK = 1 << 32  # nodes times groups; the verifier scans as many
FEW = 14  # columns whose subsets are all tried; as many as the verifier tries


def prove_support_bound(run: Run) -> None:
    """Raise the run's bound, if the metric adds up row by row, or multiplies such sums."""
    problem = run.problem
    costing = problem.costing
    if not isinstance(costing, MarginalCosting) or not problem.one_set or not clear(problem):
        return
    layout = lay_out(problem)
    if layout.nodes * len(layout.rows) > WORK:
        return
    bound = bound_by_support(layout)
    if costing.geometric:
        bound = _multiplied(bound, [w for w in problem.ground.weights.tolist() if w > 0])
    run.prove(bound, By.SUPPORT_BOUND)


def _multiplied(mean: float, weights: list[float]) -> float:
    """What columns lose at least by geometric mean, if by arithmetic mean they lose so much.

    The sum of w log(1 + m) is concave, so it is least where some columns lose all, one loses what
    is missing, and the others nothing.
    """
    if len(weights) > FEW:
        return max(0.0, math.expm1(mean * math.log(2)))
    least = math.inf
    for many in range(len(weights) + 1):
        for full in itertools.combinations(range(len(weights)), many):
            missing = mean - sum(weights[a] for a in full)
            if missing < 0:
                continue
            scores = [w * math.log1p(missing / w) for a, w in enumerate(weights)
                      if a not in full and missing <= w]  # fmt: skip
            if scores:
                least = min(least, (mean - missing) * math.log(2) + min(scores))
    return math.expm1(least) if math.isfinite(least) else 0.0


def bound_by_support(layout: Layout) -> float:
    """No cell-level recoding costs less."""
    return float(least_by_support(layout) @ layout.rows) / max(1, int(layout.rows.sum()))


def least_by_support(layout: Layout) -> NDArray[np.float64]:
    """(groups,) what a row of each pays at least."""
    from lookalike.search.bounds.support_bound_kernels import lower  # late: loads numba

    # Columns of few labels first: the parts stay large, and the last columns decide at once.
    last = np.array([len(np.unique(values)) for values in layout.leaf])
    order = np.argsort(last, kind="stable")
    pays = layout.at_most.copy()
    lower(
        layout.leaf[order], layout.rows, layout.label, layout.price, layout.at[order],
        layout.many[order], layout.k, pays,
    )  # fmt: skip
    return pays
