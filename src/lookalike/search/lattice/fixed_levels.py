"""As before: a full-domain recoding that is given, judged on a table it was not made for."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.errors import Fault, PolicyError
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.bounds.node_bounds import LARGEST
from lookalike.search.bounds.node_choice import pick
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class FixedLevels(Algorithm):
    """Its answer is the recoding given, or nothing if that does not meet the policy here.

    Other nodes are counted only to tell how much dearer it is than the best: the bound is that of
    an exact search, as far as the limits allow.
    """

    levels: tuple[int, ...]
    name = "as-before"
    space = Space.FULL_DOMAIN
    out_of_core = True

    def __post_init__(self) -> None:
        if not all(type(level) is int and level >= 0 for level in self.levels):
            fix = "give a level for each column, as (0, 2, 1)"
            raise PolicyError(Fault("FixedLevels(levels=...)", "not levels from 0 up", fix))

    def why_unsuitable(self, problem: Problem) -> str | None:
        if len(self.levels) != len(problem.names):
            return f"it has {len(self.levels)} levels, and there are {len(problem.names)} columns"
        for name, level, low, high in zip(
            problem.names, self.levels, problem.low, problem.high, strict=True
        ):
            if not low <= level <= high:
                return f"{name} was at level {level}, and may now be from {low} to {high}"
        if problem.nodes > LARGEST:
            return f"the lattice has {problem.nodes:,} nodes, more than fit in memory"
        return None

    def search(self, run: Run) -> None:
        before = run.check(self.levels)
        if not before.meets:
            return
        assert run.lattice is not None  # why_unsuitable() has seen to it
        lattice, met, allowance = run.lattice, True, run.problem.allowance
        try:
            while node := pick(lattice, run.cost, turn=run.checks, met=met, allowance=allowance):
                met = run.check(run.problem.node_to_count(node, run.counted)).meets
        finally:
            run.settle(before, [before])
