"""Plain greedy: from no cuts at all, make the one that helps most until none does.

The purely greedy rival of Bayardo and Agrawal 2005, section 7.3, which they found "highly
sub-optimal".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.cuts.local_search import Steps, compile_step_kernels, no_steps
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class Greedy(Algorithm):
    """A heuristic: one way down, and no way back."""

    name = "greedy"
    space = Space.CUTS
    promise = "Greedy cutting meets the policy. It does not promise a low cost."

    def why_unsuitable(self, problem: Problem) -> str | None:
        return no_steps(problem)

    def compile_kernels(self, problem: Problem) -> None:
        compile_step_kernels()

    def search(self, run: Run) -> None:
        steps = Steps.of(run.problem)
        flags = steps.space.forced.copy()
        while True:
            run.looked()
            value, changed = steps.around(flags)
            steps.offer(run, flags)
            if not len(steps.free):
                return
            changed[flags] = np.iinfo(np.int64).max
            step = int(np.argmin(changed))
            if changed[step] >= value:
                return
            flags[step] = True
