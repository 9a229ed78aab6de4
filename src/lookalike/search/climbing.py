"""Datafly's climb: coarsen the column that shows most distinct values until the policy is met."""

from __future__ import annotations

import numpy as np

from lookalike.problem.problem import Evaluation, Problem
from lookalike.search.run import Run


def climb_by_distinct_values(run: Run) -> Evaluation | None:
    """The first node on the way up that meets the policy. Ties go to the column named first."""
    problem = run.problem
    node = list(problem.low)
    while not (found := run.check(tuple(node))).meets:
        distinct = _distinct_values(problem, node)
        can_rise = [a for a in range(len(node)) if node[a] < problem.high[a]]
        if not can_rise:
            return None
        node[max(can_rise, key=lambda a: distinct[a])] += 1
    return found


def _distinct_values(problem: Problem, node: list[int]) -> list[int]:
    """How many distinct values each column shows at a node."""
    return [
        len(np.unique(table.codes[:, level]))
        for table, level in zip(problem.tables, node, strict=True)
    ]
