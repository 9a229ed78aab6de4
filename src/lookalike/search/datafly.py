"""Datafly: coarsen the column with most distinct values until few rows stand out (Sweeney 1997)."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.problem.problem import Problem
from lookalike.search.climbing import climb_by_distinct_values
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class Datafly:
    """The core algorithm (Sweeney 2002, Fig. 8). A heuristic: it meets k, and may distort too much.

    The paper stops once the rows in classes under k number at most k. Here that number is the
    policy's ``suppress``, so that all algorithms answer the same question; ``suppress=k`` (an int)
    gives the paper's rule. Ties go to the column named first.
    """

    name: str = "datafly"
    space: Space = Space.FULL_DOMAIN

    def unsuited(self, problem: Problem) -> str | None:
        return None

    def search(self, run: Run) -> None:
        climb_by_distinct_values(run)
