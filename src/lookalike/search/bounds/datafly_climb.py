"""Datafly's climb: generalize the column with the most distinct values until the policy is met."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lookalike.problem.evaluation import Evaluation
from lookalike.problem.problem import Problem
from lookalike.search.run import Run


def climb_by_distinct_values(run: Run) -> Evaluation | None:
    """The first node of Datafly's path that meets the policy."""
    evaluations = map(run.check, datafly_path(run.problem))
    return next((evaluation for evaluation in evaluations if evaluation.meets), None)


def datafly_path(problem: Problem) -> Iterator[tuple[int, ...]]:
    """The nodes that Datafly visits, from the lowest to the highest.

    The number of distinct values is weighted by how likely the column is used for linking, and by
    how much distortion it tolerates. Ties go to the column named first.
    """
    policy, node = problem.policy, list(problem.low)
    likelihood = {
        name: share for columns in policy.linking.values() for name, share in columns.items()
    }
    weight = [likelihood.get(name, 1.0) * policy.distort.get(name, 1.0) for name in problem.names]
    while True:
        yield tuple(node)
        can_rise = [a for a in range(len(node)) if node[a] < problem.high[a]]
        if not can_rise:
            return
        shown = zip(problem.tables, node, strict=True)
        distinct = [len(np.unique(table.codes[:, level])) for table, level in shown]
        ranks = [(w * d, 0 if w else d) for w, d in zip(weight, distinct, strict=True)]
        node[max(can_rise, key=ranks.__getitem__)] += 1
