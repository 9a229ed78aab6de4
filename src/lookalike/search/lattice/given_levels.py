"""Given levels: the result is the given node; no other node is examined.

For levels that were fixed or chosen beforehand, so that no other node matters (differential
privacy). Nothing is proved about other nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class GivenLevels(Algorithm):
    """The result is this node, if it meets the policy."""

    levels: tuple[int, ...]
    name = "given-levels"
    space = Space.FULL_DOMAIN
    out_of_core = True
    any_requirement = True

    def why_unsuitable(self, problem: Problem) -> str | None:
        return None

    def search(self, run: Run) -> None:
        run.check(self.levels)
