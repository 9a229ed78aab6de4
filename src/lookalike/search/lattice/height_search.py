"""Binary search for the least height of the lattice at which some node meets the policy.

It relies on Samarati's lemma: if no node at a height meets the policy, none below does. Samarati's
algorithm and the hybrid use it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from lookalike.problem.evaluation import Evaluation
from lookalike.problem.problem import Problem
from lookalike.search.lattice.monotonicity import why_not_monotone
from lookalike.search.run import Run

MAX_NODES = 2_000_000  # of the lattice; all nodes of one height may have to be counted

Preference = Literal[
    "least-cost", "absolute-distance", "relative-distance", "distribution", "suppression"
]
PREFERENCES: Mapping[str, Callable[[Problem, Evaluation], float]] = {  # the smallest is preferred
    "least-cost": lambda _, node: node.cost,
    "absolute-distance": lambda _, node: sum(node.levels),
    "relative-distance": lambda problem, node: sum(
        level / table.height for level, table in zip(node.levels, problem.tables, strict=True)
    ),
    "distribution": lambda _, node: -node.classes,
    "suppression": lambda _, node: node.suppressed,
}


def why_heights_fail(problem: Problem) -> str | None:
    """A sentence on why heights cannot be searched here; None if they can."""
    if problem.nodes > MAX_NODES:
        return f"the lattice has {problem.nodes:,} nodes, too many to count all nodes of one height"
    return why_not_monotone(problem)


def lowest_nodes(run: Run, high: int) -> list[Evaluation]:
    """The nodes that meet the policy at the least height; at height ``high`` some node does."""
    problem = run.problem
    low = sum(problem.low)
    while low < high:
        middle = (low + high) // 2
        if any(run.check(node).meets for node in nodes_at_height(problem, middle)):
            high = middle
        else:
            low = middle + 1
    evaluations = map(run.check, nodes_at_height(problem, high))
    return [evaluation for evaluation in evaluations if evaluation.meets]


def nodes_at_height(problem: Problem, height: int) -> Iterator[tuple[int, ...]]:
    """The nodes whose levels add up to ``height``."""
    *first, (low, high) = zip(problem.low, problem.high, strict=True)
    for levels in itertools.product(*(range(a, b + 1) for a, b in first)):
        last = height - sum(levels)
        if low <= last <= high:
            yield (*levels, last)


def settle_by_preference(run: Run, minimal: list[Evaluation], preference: Preference) -> None:
    """Choose one of several nodes, by the preference and then by the order of the levels."""
    rule = PREFERENCES[preference]
    run.settle(min(minimal, key=lambda node: (rule(run.problem, node), node.levels)), minimal)
