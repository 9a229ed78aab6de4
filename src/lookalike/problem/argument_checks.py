"""Check the types of arguments. A fault names the type that was passed, never the value."""

from __future__ import annotations

from lookalike.errors import Fault, LookalikeError
from lookalike.policy.policy import Policy
from lookalike.problem.problem import Problem
from lookalike.solution.solution import Solution


def check_policy(given: object) -> None:
    """LookalikeError if this is not a Policy."""
    if not isinstance(given, Policy):
        fix = "give a la.Policy, for example la.load_policy(path)"
        raise wrong("policy", given, "Policy", fix)


def check_problem(given: object) -> None:
    """LookalikeError if this is not a Problem."""
    if not isinstance(given, Problem):
        raise wrong("problem", given, "Problem", "make one with la.prepare(table, policy)")


def check_solution(given: object) -> None:
    """LookalikeError if this is not a Solution."""
    if not isinstance(given, Solution):
        raise wrong("solution", given, "Solution", "make one with la.solve(problem)")


def wrong(where: str, given: object, wanted: str, fix: str) -> LookalikeError:
    """The error for an argument of the wrong type."""
    kind = given.__name__ if isinstance(given, type) else type(given).__name__
    return LookalikeError(Fault(where, f"{kind} was passed, but a {wanted} is needed", fix))
