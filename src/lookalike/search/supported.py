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
        and _fits(problem)
    ):
        run.prove(_bound(problem, costing, levels), By.SUPPORTED)


def _levels(problem: Problem) -> list[list[int]]:
    """The levels that a cell of each column may have: ``*`` always, where cells are suppressed."""
    stars = problem.policy.model is not None and problem.policy.model.suppress == "cell"
    return [
        sorted({*range(low, high + 1), *([table.height] if stars else [])})
        for low, high, table in zip(problem.low, problem.high, problem.tables, strict=True)
    ]


def _fits(problem: Problem) -> bool:
    """Is every tuple of labels one integer?"""
    return math.prod(int(n.max(initial=0)) + 1 for n in problem.label_numbers) < 2**62


def _bound(problem: Problem, costing: MarginalCosting, levels: list[list[int]]) -> float:
    from lookalike.search.supported_kernels import scan  # late: loads numba

    codes, rows = problem.counts.codes, problem.counts.counts
    weights = problem.ground.weights
    at = np.zeros((len(levels), problem.ground.levels), dtype=np.int64)
    width = np.ones_like(at)
    labels, prices, length = [], [], 0
    pays = np.zeros(len(rows))
    for a, numbers in enumerate(problem.label_numbers):
        pays += weights[a] * costing.full[a][codes[:, a]]
        for level, label in enumerate(numbers):
            at[a, level], width[a, level] = length, int(label.max(initial=0)) + 1
            labels.append(label)
            prices.append(weights[a] * costing.loss[a][:, level])
            length += len(label)
    nodes = np.array(list(itertools.product(*levels)), dtype=np.int64)
    scan(
        codes, rows, np.concatenate(labels), np.concatenate(prices), at, width, nodes,
        problem.smallest, pays,
    )  # fmt: skip
    return float(pays @ rows.astype(np.float64)) / max(1, problem.rows)
