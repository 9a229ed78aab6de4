"""The least height of the lattice at which some node meets the policy, by binary search.

Samarati's lemma: if no node at a height meets it, none below does. Shared by the algorithms that
search by height.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from lookalike.problem.evaluation import Evaluation
from lookalike.problem.problem import Problem
from lookalike.search.lattice.monotonicity import not_monotone
from lookalike.search.run import Run

LARGEST = 2_000_000  # nodes; a whole height of the lattice may have to be counted

Preference = Literal[
    "least-cost", "absolute-distance", "relative-distance", "distribution", "suppression"
]
PREFERENCES: Mapping[str, Callable[[Problem, Evaluation], float]] = {  # the least is preferred
    "least-cost": lambda problem, found: found.cost,
    "absolute-distance": lambda problem, found: sum(found.levels),
    "relative-distance": lambda problem, found: sum(
        level / table.height for level, table in zip(found.levels, problem.tables, strict=True)
    ),
    "distribution": lambda problem, found: -found.classes,
    "suppression": lambda problem, found: found.suppressed,
}


def no_heights(problem: Problem) -> str | None:
    """Why heights cannot be searched here, in a sentence; None if they can."""
    if problem.nodes > LARGEST:
        return f"the lattice has {problem.nodes:,} nodes, too many to count whole heights of"
    return not_monotone(problem)


def lowest(run: Run, high: int) -> list[Evaluation]:
    """The nodes that meet the policy at the least height where one does; ``high`` is such a one."""
    problem = run.problem
    low = sum(problem.low)
    while low < high:
        middle = (low + high) // 2
        if any(run.check(node).meets for node in at_height(problem, middle)):
            high = middle
        else:
            low = middle + 1
    return [found for node in at_height(problem, high) if (found := run.check(node)).meets]


def at_height(problem: Problem, height: int) -> Iterator[tuple[int, ...]]:
    """The nodes whose levels add up to ``height``."""
    *first, (low, high) = zip(problem.low, problem.high, strict=True)
    for levels in itertools.product(*(range(a, b + 1) for a, b in first)):
        last = height - sum(levels)
        if low <= last <= high:
            yield (*levels, last)


def prefer(run: Run, minimal: list[Evaluation], preference: Preference) -> None:
    """Settle on one of several, by the preference and then by the order of the levels."""
    rule = PREFERENCES[preference]
    run.settle(min(minimal, key=lambda one: (rule(run.problem, one), one.levels)), minimal)
