"""A solution: a recoding, its cost, a lower bound, and how far the claim about them goes.

Status, reason for stopping and bound are three separate values. A combination that cannot be true
cannot be built.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

from lookalike.errors import Fault, NotProven
from lookalike.solution.proof import SENTENCES, By, Proof
from lookalike.solution.recoding import Levels, Recoding, Space

ROUNDING = 1e-9  # relative; costs are sums of many floats
PROOFS: dict[Space, tuple[By, ...]] = {  # what a bound of each space can rest on
    Space.FULL_DOMAIN: (By.NODES, By.BOXES),
    Space.CUTS: (By.NODES, By.TREE),
    Space.CELL_LEVEL: (By.NODES, *SENTENCES),
}
AS_ASKED = "as asked"  # why this algorithm, if the user named it
UNKNOWN_GAP = 0.999  # a gap of nearly 100% says nothing, so it is shown as not known


class Status(StrEnum):
    """What is known about the result of a search.

    ``OPTIMAL`` and ``INFEASIBLE`` are statements about all recodings of the space.

    Examples
    --------
    >>> import lookalike as la
    >>> [str(status) for status in la.Status]
    ['optimal', 'feasible', 'infeasible', 'unknown', 'unmet']
    """

    OPTIMAL = "optimal"  # meets the policy, and no recoding of the space costs less
    FEASIBLE = "feasible"  # meets the policy; the gap says how much less another could cost
    INFEASIBLE = "infeasible"  # no recoding of the space meets the policy
    UNKNOWN = "unknown"  # no recoding that meets the policy was found
    UNMET = "unmet"  # the answer of a system that does not keep k: it must not be released


OPTIMAL, FEASIBLE, INFEASIBLE, UNKNOWN, UNMET = Status


class Stop(StrEnum):
    """Why a search ended.

    Examples
    --------
    >>> import lookalike as la
    >>> [str(stop) for stop in la.Stop]
    ['finished', 'time', 'checks', 'memory', 'interrupted']
    """

    FINISHED = "finished"  # it had nothing left to do
    TIME = "time"
    CHECKS = "checks"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"


RANK = dict.fromkeys(Status, 0) | {Status.FEASIBLE: 1, Status.OPTIMAL: 2}


@dataclass(frozen=True, slots=True)
class TracePoint:
    """Where a search was at one moment."""

    seconds: float
    checks: int
    cost: float | None
    bound: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Solution:
    """The result of a search, and what is claimed about it. ``la.solve`` makes it.

    Attributes
    ----------
    status : Status
        What is known about the result.
    stop : Stop
        Why the search ended.
    space : Space
        The recodings that the claim is about.
    metric, algorithm : str
        The names of both.
    recoding : Levels, Cuts, CellMap or None
        How to recode the table; None if nothing was found.
    rows, suppressed, classes : int
        Rows of the table, rows that are suppressed, and equivalence classes of the release.
    cost : float or None
        The cost of the recoding by the metric.
    bound : float
        A lower bound: no recoding of the space that meets the policy costs less.
    proof : Proof
        What the verifier has to compute to check the bound.
    alternatives : tuple of Levels
        Recodings that are as good, if the algorithm lists them.
    why, promise : str
        Why this algorithm was chosen, and what it guarantees for every table.
    seed, checks, seconds
        Seed of a randomized algorithm, recodings counted, and seconds of the search.
    trace : tuple
        Best cost and bound over time.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> table = pa.table({"age": [31, 34, 58, 57]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10)}, require=la.KAnonymity(2))
    >>> print(la.solve(la.prepare(table, policy)))
    optimal full-domain recoding, found by flash
    precision cost 0.5, lower bound 0.5, gap 0.0%
    0 of 4 rows suppressed, 2 equivalence classes
    """

    status: Status
    stop: Stop
    space: Space
    metric: str
    algorithm: str
    recoding: Recoding | None
    rows: int
    suppressed: int
    classes: int
    cost: float | None
    bound: float  # no recoding in the space that meets the policy costs less
    proof: Proof
    alternatives: tuple[Levels, ...] = ()
    why: str = ""
    promise: str = ""
    seed: int = 0
    checks: int = 0
    seconds: float = 0.0
    trace: tuple[TracePoint, ...] = field(default=())

    def __post_init__(self) -> None:
        has = self.recoding is not None
        if has != (self.status in (Status.OPTIMAL, Status.FEASIBLE, Status.UNMET)):
            raise ValueError(f"{self.status} does not go with {'a' if has else 'no'} recoding")
        if has != (self.cost is not None):
            raise ValueError("a recoding comes with its cost")
        if math.isnan(self.bound) or (self.cost is not None and math.isnan(self.cost)):
            raise ValueError("the cost or the bound is not a number")
        if self.cost is not None and self.status is not Status.UNMET:
            slack = ROUNDING * max(1.0, abs(self.cost))
            if self.bound > self.cost + slack:
                raise ValueError(f"the bound {self.bound} is above the cost {self.cost}")
            if self.status is Status.OPTIMAL and self.bound < self.cost - slack:
                raise ValueError(
                    f"optimal, but the bound {self.bound} is below the cost {self.cost}"
                )
        if self.status is Status.INFEASIBLE and self.bound < math.inf:
            raise ValueError("infeasible means that no finite bound is left")
        if self.proof.by not in PROOFS[self.space]:
            raise ValueError(f"no {self.space} bound rests on {self.proof.by}")

    @property
    def gap(self) -> float:
        """How much of the cost could still be saved at most, as a share; 0 if optimal."""
        if self.cost is None or self.status is Status.UNMET:
            return math.inf
        return 0.0 if self.status is Status.OPTIMAL else gap_between(self.cost, self.bound)

    def expect(self, status: Status) -> Solution:
        """Return this solution if its status is as good as ``status``.

        Parameters
        ----------
        status : Status
            The weakest status that is accepted.

        Returns
        -------
        Solution
            The solution itself.

        Raises
        ------
        NotProven
            If the status is weaker.
        """
        if self.status is Status.UNMET:
            problem = f"the recoding of {self.algorithm} does not meet the policy"
            fix = "use an algorithm that keeps k; compare shows which do"
            raise NotProven(Fault("solution", problem, fix))
        if RANK[self.status] < RANK[status]:
            problem = f"it is {self.status} (stopped: {self.stop}), not {status}"
            fix = "give the search more time, or accept its bound and gap"
            if self.stop is Stop.FINISHED:
                fix = "use an exact algorithm, such as flash, or accept its bound and gap"
            raise NotProven(Fault("solution", problem, fix))
        return self

    def claim(self) -> str:
        """Say in one sentence what is claimed.

        Returns
        -------
        str
            The claim, as the certificate states it.
        """
        if self.status is Status.UNMET:
            return (
                f"{self.algorithm} does not guarantee the requirement: this recoding does not meet "
                "the policy and must not be released."
            )
        if self.status is Status.OPTIMAL:
            best = optimal_claim(self.space, self.metric)
            return f"{best}; this is proved by {self.proof.sentence()}."
        if self.status is Status.FEASIBLE:
            return feasible_claim(self.space, self.metric, self.bound, self.gap)
        if self.status is Status.INFEASIBLE:
            return f"No {self.space.recoding} meets this policy."
        return "No recoding that meets the policy has been found yet."

    def __str__(self) -> str:
        kind = self.space.recoding
        if self.cost is None:
            return f"{self.status}: no {kind} found by {self.algorithm} (stopped: {self.stop})"
        gap = f"{self.gap:.1%}" if self.gap < UNKNOWN_GAP else "not known"
        lines = [
            f"{self.status} {kind}, found by {self.algorithm}",
            f"{self.metric} cost {self.cost:.6g}, lower bound {self.bound:.6g}, gap {gap}",
            f"{self.suppressed:,} of {self.rows:,} rows suppressed, "
            f"{self.classes:,} equivalence classes",
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        cost = "no recoding" if self.cost is None else f"cost {self.cost:.6g}"
        return f"<Solution: {self.status}, {self.space}, {self.algorithm}, {cost}>"


def gap_between(cost: float, bound: float) -> float:
    """How much of a cost is above a bound, as a share."""
    if cost <= bound or cost == 0:
        return 0.0
    return min(1.0, (cost - bound) / abs(cost))


def optimal_claim(space: Space, metric: str) -> str:
    """The claim that nothing costs less, without its proof."""
    return f"No {space.recoding} that meets this policy has a lower {metric} cost"


def feasible_claim(space: Space, metric: str, bound: float, gap: float) -> str:
    """The claim about a recoding that may not be the best: how much could be saved at most."""
    if gap >= UNKNOWN_GAP:
        return (
            "This recoding meets the policy. How far it is from the best is not known: the search "
            f"has no useful lower bound on the {metric} cost."
        )
    saved = f"at most {gap:.1%}" if gap >= 0.001 else "less than 0.1%"
    return (
        f"This recoding meets the policy. No {space.recoding} that does has a {metric} cost below "
        f"{bound:.6g}: {saved} could be saved."
    )
