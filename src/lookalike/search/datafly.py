"""Datafly: coarsen the column with most distinct values until few rows stand out (Sweeney 1997)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.problem.problem import Problem
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
        problem = run.problem
        node = list(problem.low)
        while not run.check(tuple(node)).meets:
            distinct = _distinct_values(problem, node)
            can_rise = [a for a in range(len(node)) if node[a] < problem.high[a]]
            if not can_rise:
                return
            node[max(can_rise, key=lambda a: distinct[a])] += 1


def _distinct_values(problem: Problem, node: list[int]) -> list[int]:
    """How many distinct values each column shows at a node."""
    return [
        len(np.unique(table.codes[:, level]))
        for table, level in zip(problem.tables, node, strict=True)
    ]
