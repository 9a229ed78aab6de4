"""Fixed levels: an earlier full-domain recoding, applied to a table that it was not made for."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.errors import Fault, PolicyError
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.bounds.node_bounds import MAX_NODES
from lookalike.search.bounds.node_choice import count_open_nodes
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class FixedLevels(Algorithm):
    """The result is the given recoding, or nothing if that does not meet the policy here.

    Other nodes are counted only to find out how much more it costs than the best. The bound is that
    of an exact search, as far as the limits allow.
    """

    levels: tuple[int, ...]
    name = "fixed-levels"
    space = Space.FULL_DOMAIN
    out_of_core = True

    def __post_init__(self) -> None:
        if not all(type(level) is int and level >= 0 for level in self.levels):
            problem = "a level is not a whole number of 0 or more"
            fix = "give a level for each column, for example (0, 2, 1)"
            raise PolicyError(Fault("FixedLevels(levels=...)", problem, fix))

    def why_unsuitable(self, problem: Problem) -> str | None:
        if len(self.levels) != len(problem.names):
            return f"it recodes {len(self.levels)} columns, and the policy has {len(problem.names)}"
        for name, level, low, high in zip(
            problem.names, self.levels, problem.low, problem.high, strict=True
        ):
            if not low <= level <= high:
                return f"{name} was at level {level}, but the policy now allows {low} to {high}"
        if problem.nodes > MAX_NODES:
            return f"the lattice has {problem.nodes:,} nodes, more than fit in memory"
        return None

    def search(self, run: Run) -> None:
        fixed = run.check(self.levels)
        if not fixed.meets:
            return
        try:
            count_open_nodes(run)
        finally:
            run.settle(fixed, [fixed])
