"""A bound for cell-level recodings: what each row pays at least, whichever rows it is put with.

A released row shows a generalization of itself that k released rows show, so at least k rows of the
table have that generalization too. The row pays at least the cheapest one that k rows share; if it
is left out it pays in full, which is never less. One scan of the lattice gives this for all rows
(LB2 of Sweeney's cell-level space); here for lattices small enough to scan in passing.
"""

from __future__ import annotations

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
        and math.prod(map(len, levels := levels_of_cells(problem))) <= MANY
    ):
        run.prove(bound_by_support(problem, costing, levels), By.SUPPORTED)


def levels_of_cells(problem: Problem) -> list[list[int]]:
    """The levels that a cell of each column may have: ``*`` always, where cells are suppressed."""
    stars = problem.policy.model is not None and problem.policy.model.suppress == "cell"
    return [
        sorted({*range(low, high + 1), *([table.height] if stars else [])})
        for low, high, table in zip(problem.low, problem.high, problem.tables, strict=True)
    ]


def bound_by_support(problem: Problem, costing: MarginalCosting, levels: list[list[int]]) -> float:
    """No cell-level recoding within these levels costs less."""
    from lookalike.search.supported_kernels import lower  # late: loads numba

    # Columns of few values first: the parts stay large, and the last columns decide at once.
    order = sorted(range(len(levels)), key=lambda a: problem.tables[a].leaves)
    codes, rows = problem.counts.codes[:, order], problem.counts.counts
    levels = [levels[a] for a in order]
    at = np.zeros((len(levels), problem.ground.levels), dtype=np.int64)
    allowed = np.zeros_like(at)
    labels, prices, length = [], [], 0
    pays = np.zeros(len(rows))
    for a, column in enumerate(order):
        weight = problem.ground.weights[column]
        pays += weight * costing.full[column][codes[:, a]]
        allowed[a, : len(levels[a])] = levels[a]
        for level, label in enumerate(problem.label_numbers[column]):
            at[a, level] = length
            labels.append(label)
            prices.append(weight * costing.loss[column][:, level])
            length += len(label)
    lower(
        np.ascontiguousarray(codes.T), rows, np.concatenate(labels), np.concatenate(prices), at,
        allowed, np.array(list(map(len, levels))), problem.smallest, pays,
    )  # fmt: skip
    return float(pays @ rows.astype(np.float64)) / max(1, problem.rows)
