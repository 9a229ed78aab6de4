"""Recodings by cuts for tests: random ones of a problem, and an algorithm that offers one."""

from __future__ import annotations

import random
from dataclasses import dataclass

from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cut_space import NONE, why_not_cut
from lookalike.search.algorithm import Algorithm
from lookalike.search.run import Run
from lookalike.solution.recoding import Cuts, Space


def random_cuts(problem: Problem, rng: random.Random, share: float | None = None) -> Cuts:
    """The forced cuts, some of those allowed, and whatever they need."""
    assert why_not_cut(problem) is None
    space = problem.cut_space
    share = rng.choice([0.1, 0.3, 0.6, 0.9]) if share is None else share
    wanted = [
        cut
        for cut in range(len(space.column))
        if space.forced[cut] or (space.allowed[cut] and rng.random() < share)
    ]
    chosen: set[int] = set()
    while wanted:
        cut = wanted.pop()
        if cut not in chosen:
            chosen.add(cut)
            wanted += [int(need) for need in space.needs[cut] if need != NONE]
    return space.recoding(chosen)


@dataclass(frozen=True)
class GivenCuts(Algorithm):
    """An algorithm that offers these cuts, or, if none are given, random ones from the seed."""

    cuts: tuple[tuple[int, ...], ...] | None = None
    share: float | None = None  # of the cuts, if random
    name = "given-cuts"
    space = Space.CUTS

    def why_unsuitable(self, problem: Problem) -> str | None:
        return why_not_cut(problem)

    def search(self, run: Run) -> None:
        if self.cuts is None:
            run.offer(random_cuts(run.problem, random.Random(run.seed), self.share))
        else:
            run.offer(Cuts(run.problem.names, self.cuts))
