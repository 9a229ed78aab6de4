"""Greedy cutting: start without cuts and make the cut that helps most, until none helps.

The purely greedy algorithm of Bayardo and Agrawal 2005, section 7.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.search.cuts.local_search import LocalSearch, Steps
from lookalike.search.run import Run


@dataclass(frozen=True, slots=True)
class Greedy(LocalSearch):
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
    promise = "Greedy cutting meets the policy. It does not promise a low cost."

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
