"""Datafly's climb: coarsen the column that shows most distinct values until the policy is met."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from lookalike.problem.evaluation import Evaluation
from lookalike.problem.problem import Problem
from lookalike.search.run import Run


def climb_by_distinct_values(run: Run) -> Evaluation | None:
    """The first node on the way up that meets the policy."""
    return next((found for node in way_up(run.problem) if (found := run.check(node)).meets), None)


def way_up(problem: Problem) -> Iterator[tuple[int, ...]]:
    """The nodes that Datafly looks at, from the lowest to the highest.

    Distinct values are weighed by how likely the column is linked by and how much distortion it
    bears; ties go to the column named first.
    """
    node = list(problem.low)
    weight = _weights(problem)
    while True:
        yield tuple(node)
        can_rise = [a for a in range(len(node)) if node[a] < problem.high[a]]
        if not can_rise:
            return
        distinct = _distinct_values(problem, node)
        node[max(can_rise, key=_by(weight, distinct))] += 1


def _by(weight: list[float], distinct: list[int]) -> Callable[[int], tuple[float, int]]:
    """The weighed number; among columns that weigh nothing, the plain one."""
    return lambda a: (weight[a] * distinct[a], 0 if weight[a] else distinct[a])


def _weights(problem: Problem) -> list[float]:
    policy = problem.policy
    likelihood = {name: by for columns in policy.linking.values() for name, by in columns.items()}
    return [likelihood.get(name, 1.0) * policy.distort.get(name, 1.0) for name in problem.names]


def _distinct_values(problem: Problem, node: list[int]) -> list[int]:
    """How many distinct values each column shows at a node."""
    return [
        len(np.unique(table.codes[:, level]))
        for table, level in zip(problem.tables, node, strict=True)
    ]
