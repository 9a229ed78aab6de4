"""Greedy cutting: start without cuts and make the cut that helps most, until none helps.

The purely greedy algorithm of Bayardo and Agrawal 2005, section 7.3.
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
    """Heuristic over cuts of ordered columns: make the cut that helps most, until none helps.

    References
    ----------
    Bayardo and Agrawal 2005, section 7.3, who found it "highly sub-optimal".

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(
    ...     quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3),
    ...     metric="discernibility",
    ... )
    >>> la.solve(la.prepare(table, policy), la.Greedy())
    <Solution: optimal, cuts, greedy, cost 18>
    """

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
