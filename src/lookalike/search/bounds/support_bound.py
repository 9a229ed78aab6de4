"""The support bound for cell-level recodings: what each row loses at least, in whatever class.

A released row shows a generalization of itself that k released rows show, so at least k rows of the
table have that generalization too. The row loses at least as much as by the cheapest generalization
that k rows share. If it is suppressed, it loses everything, which is never less (LB2 of Sweeney's
cell-level space).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lookalike.search.bounds.cell_layout import CellLayout
from lookalike.search.bounds.geometric_mean import cost_bound
from lookalike.search.interruption import interruptible, unlimited
from lookalike.search.run import Run
from lookalike.solution.proof import By

MAX_SCANNED_GROUPS = 1 << 32  # nodes times groups; the verifier has the same limit


def prove_support_bound(run: Run, layout: CellLayout) -> None:
    """Raise the run's bound. Raises Stopped at a limit of time or memory."""
    bound = support_bound(layout, run.mind_clock)
    run.prove(cost_bound(run.problem, bound), By.SUPPORT_BOUND)


def is_countable(layout: CellLayout) -> bool:
    """Is it feasible to count all nodes, for the search and for the verifier?"""
    return layout.nodes * len(layout.rows) <= MAX_SCANNED_GROUPS


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
