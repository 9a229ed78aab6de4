"""Simulated annealing over sets of cuts, after Winkler 2002.

A random cut is made or removed. A step that raises the cost is accepted with a chance that falls as
the temperature falls, exp(−(rise in cost) / temperature). At the first temperature half of the
rises are accepted; it falls by a constant factor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.search.algorithm_options import whole_number
from lookalike.search.cuts.local_search import LocalSearch, Steps
from lookalike.search.option_checks import check_number, check_whole
from lookalike.search.run import Run

TRIES = 100  # random steps that determine the first temperature


@dataclass(frozen=True, slots=True)
class Annealing(LocalSearch):
    """Randomized heuristic over cuts of ordered columns: simulated annealing.

    It makes or removes a random cut. A step that raises the cost is accepted with a chance that
    falls as the temperature falls.

    Parameters
    ----------
    steps : int
        Steps in all.
    cold : float
        The last temperature, as a share of the first.

    References
    ----------
    Winkler 2002. Using simulated annealing for k-anonymity.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(
    ...     quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3),
    ...     metric="discernibility",
    ... )
    >>> la.solve(la.prepare(table, policy), la.Annealing(steps=200))
    <Solution: optimal, cuts, annealing, cost 18>
    """

    steps: int = 20_000
    cold: float = 1e-4
    name = "annealing"
    options = (whole_number("steps"),)
    promise = "Annealing meets the policy. It does not promise a low cost."

    def __post_init__(self) -> None:
        check_whole("Annealing(steps=...)", self.steps)
        check_number("Annealing(cold=...)", self.cold, 1e-12, 1)

    def search(self, run: Run) -> None:
        table = Steps.of(run.problem)
        rng = np.random.default_rng(run.seed)
        flags = table.space.forced.copy()
        value = best = table.value(flags)
        table.offer(run, flags)
        if not len(table.free):
            return
        heat = self._first_temperature(run, table, rng)
        cooling = self.cold ** (1 / max(1, self.steps))
        for _ in range(self.steps):
            run.mind_limits()
            run.looked()
            tried = flags.copy()
            cut = rng.choice(table.free)
            tried[cut] = not tried[cut]
            tried = table.repaired(tried)
            now = table.value(tried)
            if now <= value or rng.random() < np.exp((value - now) / heat):
                flags, value = tried, now
            if value < best:
                best = value
                table.offer(run, flags)
            heat *= cooling

    def _first_temperature(self, run: Run, table: Steps, rng: np.random.Generator) -> float:
        """Where half of the rises seen from some random sets would be taken."""
        rises = []
        for _ in range(TRIES // 10):
            run.mind_limits()
            flags = table.at_random(rng, 0.1)
            value, changed = table.around(flags)
            few = rng.choice(table.free, 10)
            rises += [int(changed[cut]) - value for cut in few if value < changed[cut] < 1 << 60]
        return float(np.median(rises)) / np.log(2) if rises else 1.0
