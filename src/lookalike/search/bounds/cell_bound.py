"""The lower bound that every cell-level search ends with: the best one that is feasible.

It is the support bound if the lattice can be counted, and otherwise the nearest-rows bound. Both
need a metric that adds up what cells lose, or a geometric mean of such sums; one set of columns;
and labels that mean most on the highest level that has them.
"""

from __future__ import annotations

from lookalike.cost.column_metric import MarginalCosting
from lookalike.problem.problem import Problem
from lookalike.search.bounds.cell_layout import CellLayout, has_nested_labels, lay_out
from lookalike.search.bounds.nearest_rows import prove_nearest_rows
from lookalike.search.bounds.support_bound import is_countable, prove_support_bound
from lookalike.search.run import Run


def prove_cell_bound(run: Run) -> None:
    """Raise the run's bound. Raises Stopped at a limit of time or memory."""
    if not has_cell_bound(run.problem):
        return
    layout = lay_out(run.problem)
    if is_countable(layout):
        prove_support_bound(run, layout)
    else:
        prove_nearest_rows(run, layout.take(run.problem.canonical))


def has_cell_bound(problem: Problem) -> bool:
    """Do the bounds hold for its metric and its columns?"""
    return (
        isinstance(problem.costing, MarginalCosting)
        and problem.one_set
        and has_nested_labels(problem)
    )


def has_nearest_rows(problem: Problem, layout: CellLayout) -> bool:
    """Is the nearest-rows bound the one to prove?"""
    return has_cell_bound(problem) and not is_countable(layout)
