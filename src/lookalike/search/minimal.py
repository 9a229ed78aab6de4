"""k-minimal generalizations and distortions, as questions about a recoding.

Sweeney 2002, definitions 4 and 6, at attribute level. Definition 6 read literally asks for a unique
optimum; as MinGen does, we ask that nothing be less distorted.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lookalike.cost.precision import Precision
from lookalike.problem.problem import Problem
from lookalike.problem.rollup import RollUp
from lookalike.search.flash import Flash
from lookalike.search.solve import solve
from lookalike.solution.recoding import Levels
from lookalike.solution.solution import ROUNDING


@dataclass(frozen=True, slots=True)
class Minimality:
    """The answer; if it is no, ``witness`` is why, unless the recoding itself breaks the policy."""

    holds: bool
    witness: Levels | None
    sentence: str

    def __bool__(self) -> bool:
        return self.holds


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


def is_k_minimal(problem: Problem, recoding: Levels) -> Minimality:
    """Is it a k-minimal generalization: does it meet the policy, and nothing finer does?"""
    if not problem.evaluate(recoding.levels).meets:
        return Minimality(False, None, "The recoding does not meet the policy.")
    for node in _below(problem, recoding.levels):
        if problem.evaluate(node).meets:
            witness = Levels(problem.names, node)
            return Minimality(False, witness, f"{witness} is finer and meets the policy too.")
    return Minimality(True, None, "It meets the policy, and no finer recoding does.")


def is_k_minimal_distortion(problem: Problem, recoding: Levels) -> Minimality:
    """Does it meet the policy with a precision that no full-domain recoding exceeds?"""
    by_precision = Problem(
        replace(problem.policy, metric=Precision()), problem.counts, problem.tables
    )
    found = by_precision.evaluate(recoding.levels)
    if not found.meets:
        return Minimality(False, None, "The recoding does not meet the policy.")
    best = solve(by_precision, Flash())
    if (
        best.cost is not None
        and isinstance(best.recoding, Levels)
        and best.cost < found.cost - ROUNDING
    ):
        told = f"{best.recoding} has precision {1 - best.cost:.4f}, this has {1 - found.cost:.4f}."
        return Minimality(False, best.recoding, told)
    return Minimality(True, None, f"No recoding has a precision above {1 - found.cost:.4f}.")


def _below(problem: Problem, node: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every finer node, nearest first: with starred rows, meeting the policy is not monotone."""
    ranges = (range(level, low - 1, -1) for level, low in zip(node, problem.low, strict=True))
    finer = sorted(itertools.product(*ranges), key=lambda other: -sum(other))
    return iter(finer[1:])


def _finer(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))
