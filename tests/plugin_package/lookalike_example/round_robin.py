"""Raise the columns one level each in turn, until the policy is met."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.algorithm_options import flag
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class RoundRobin(Algorithm):
    """A heuristic: it stops at the first node that meets the policy.

    With ``backwards`` the last column is raised first.
    """

    backwards: bool = False

    name = "round-robin"
    space = Space.FULL_DOMAIN
    options = (flag("backwards"),)
    promise = "Round robin meets the policy. It does not promise a low cost."

    def why_unsuitable(self, problem: Problem) -> str | None:
        return None if problem.rows else "the table has no rows"

    def search(self, run: Run) -> None:
        levels = list(run.problem.low)
        while not run.check(tuple(levels)).meets and levels != list(run.problem.high):
            columns = [a for a, high in enumerate(run.problem.high) if levels[a] < high]
            lowest = min(levels[a] for a in columns)
            ready = [a for a in columns if levels[a] == lowest]
            levels[ready[-1] if self.backwards else ready[0]] += 1
