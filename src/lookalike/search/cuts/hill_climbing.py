"""Iterated two-phase hill climbing (Bayardo and Agrawal 2005, section 7.3).

From a random set of cuts, remove the cut whose removal helps most until none helps; then add the
cut that helps most until none helps; and repeat both until neither phase helps. Then start from
another random set. One addition: the empty set of cuts is tried first. One pass computes the effect
of every single step (``local_search_kernels.py``), which the authors wished for: they sorted the
table for each step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.search.algorithm_options import whole_number
from lookalike.search.cuts.local_search import Flags, LocalSearch, Steps
from lookalike.search.option_checks import check_whole
from lookalike.search.run import Run


@dataclass(frozen=True, slots=True)
class HillClimbing(LocalSearch):
    """Randomized heuristic over cuts of ordered columns: hill climbing from random sets of cuts.

    From each start it removes the cut whose removal helps most until none helps, then adds the cut
    that helps most until none helps, and repeats both until neither helps.

    Parameters
    ----------
    starts : int
        Random sets of cuts to start from.

    References
    ----------
    Bayardo and Agrawal 2005, section 7.3.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(
    ...     quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3),
    ...     metric="discernibility",
    ... )
    >>> la.solve(la.prepare(table, policy), la.HillClimbing(starts=2))
    <Solution: optimal, cuts, hill-climbing, cost 18>
    """

    starts: int = 20
    name = "hill-climbing"
    options = (whole_number("starts"),)
    promise = "Hill climbing meets the policy. It does not promise a low cost."

    def __post_init__(self) -> None:
        check_whole("HillClimbing(starts=...)", self.starts)

    def search(self, run: Run) -> None:
        steps = Steps.of(run.problem)
        rng = np.random.default_rng(run.seed)
        flags = steps.space.forced.copy()  # nothing suppresses fewer rows: safe if anything is
        best = steps.value(flags)
        steps.offer(run, flags)
        for _ in range(self.starts if len(steps.free) else 0):
            value, flags = climb(run, steps, steps.at_random(rng, rng.random()))
            if value < best:
                best = value
                steps.offer(run, flags)


def climb(run: Run, steps: Steps, flags: Flags) -> tuple[int, Flags]:
    """Both phases in turn, until neither helps."""
    before = None
    value = steps.value(flags)
    while value != before:
        before = value
        value, flags = phase(run, steps, flags, having=True)  # generalize
        value, flags = phase(run, steps, flags, having=False)  # specialize
    return value, flags


def phase(run: Run, steps: Steps, flags: Flags, *, having: bool) -> tuple[int, Flags]:
    """Remove cuts (``having``) or add cuts, the best first, until none helps."""
    while True:
        run.mind_limits()
        run.looked()
        value, changed = steps.around(flags)
        changed[flags != having] = np.iinfo(np.int64).max
        step = int(np.argmin(changed))
        if changed[step] >= value:
            return value, flags
        flags = flags.copy()
        flags[step] = not having
