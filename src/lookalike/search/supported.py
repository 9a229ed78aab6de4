"""A bound for cell-level recodings: what each row pays at least, whichever rows it is put with.

A released row shows a generalization of itself that k released rows show, so at least k rows of the
table have that generalization too. The row pays at least the cheapest one that k rows share; if it
is left out it pays in full, which is never less. One scan of the lattice gives this for all rows
(LB2 of Sweeney's cell-level space); here for lattices small enough to scan in passing.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from lookalike.cost.marginal import MarginalCosting
from lookalike.problem.cells import alike_over
from lookalike.problem.problem import Problem
from lookalike.search.run import Run
from lookalike.solution.proof import By

MANY = 1_024  # nodes; the verifier scans as many


def prove_supported(run: Run) -> None:
    """Raise the run's bound, if the metric adds up row by row and the lattice is small."""
    problem = run.problem
    costing = problem.costing
    if (
        isinstance(costing, MarginalCosting)
        and not costing.geometric
        and problem.one_set
        and math.prod(map(len, levels := _levels(problem))) <= MANY
    ):
        run.prove(_bound(problem, costing, levels), By.SUPPORTED)


def _levels(problem: Problem) -> list[list[int]]:
    """The levels that a cell of each column may have: ``*`` always, where cells are suppressed."""
    stars = problem.policy.model is not None and problem.policy.model.suppress == "cell"
    return [
        sorted({*range(low, high + 1), *([table.height] if stars else [])})
        for low, high, table in zip(problem.low, problem.high, problem.tables, strict=True)
    ]


def _bound(problem: Problem, costing: MarginalCosting, levels: list[list[int]]) -> float:
    codes, rows = problem.counts.codes, problem.counts.counts
    weights = problem.ground.weights
    columns = range(len(problem.names))
    pays = sum((weights[a] * costing.full[a][codes[:, a]] for a in columns), np.zeros(len(rows)))
    for node in itertools.product(*levels):
        shown = [problem.label_numbers[a][node[a], codes[:, a]] for a in columns]
        of = alike_over(np.stack(shown, axis=1))
        shared = np.bincount(of, weights=rows)[of] >= problem.smallest
        cost = sum(weights[a] * costing.loss[a][codes[:, a], node[a]] for a in columns)
        pays = np.where(shared, np.minimum(pays, cost), pays)
    return float(pays @ rows.astype(np.float64)) / max(1, problem.rows)
