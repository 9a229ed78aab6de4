"""k-minimal generalizations: recodings that meet the policy while nothing finer does.

Sweeney 2002, definition 4, at attribute level.
"""

from __future__ import annotations

import itertools

from lookalike.problem.problem import Problem
from lookalike.problem.rollup import RollUp
from lookalike.solution.recoding import Levels


def k_minimal_generalizations(problem: Problem) -> tuple[Levels, ...]:
    """All of them, lowest first. Looks at every node that is not above one already found."""
    ranges = (range(low, high + 1) for low, high in zip(problem.low, problem.high, strict=True))
    nodes = sorted(itertools.product(*ranges), key=lambda node: (sum(node), node))
    rollup = RollUp(problem)
    found: list[tuple[int, ...]] = []
    for node in nodes:
        if not any(_finer(other, node) for other in found) and rollup.evaluate(node).meets:
            found.append(node)
    return tuple(Levels(problem.names, node) for node in found)


def _finer(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))
