"""What a search hands back: a recoding, its cost, a bound, and how far the claim goes.

Status, reason for stopping and bound are three separate values, and a combination that cannot be
true cannot be built.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

from lookalike.errors import Fault, NotProven
from lookalike.solution.proof import Proof
from lookalike.solution.recoding import Levels, Recoding, Space

ROUNDING = 1e-9  # relative; costs are sums of many floats
UNKNOWN_GAP = 0.999  # that nearly everything could be saved is not worth saying


class Status(StrEnum):
    """What is known about the result. Optimal and infeasible speak of the whole space."""

    OPTIMAL = "optimal"  # meets the policy, and nothing in the space is cheaper
    FEASIBLE = "feasible"  # meets the policy; the gap says how much cheaper another could be
    INFEASIBLE = "infeasible"  # nothing in the space meets the policy
    UNKNOWN = "unknown"  # nothing found yet that does
    UNMET = "unmet"  # the system's own answer, which does not meet the policy: no release


class Stop(StrEnum):
    """Why the search ended."""

    FINISHED = "finished"  # it had no more to do
    TIME = "time"
    CHECKS = "checks"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"


RANK = {
    Status.UNKNOWN: 0,
    Status.INFEASIBLE: 0,
    Status.UNMET: 0,
    Status.FEASIBLE: 1,
    Status.OPTIMAL: 2,
}


@dataclass(frozen=True, slots=True)
class Found:
    """A moment of the search, for the trace."""

    seconds: float
    checks: int
    cost: float | None
    bound: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """A result and its claim. Built by ``solve`` alone: an algorithm only offers recodings."""

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
    alternatives: tuple[Levels, ...] = ()  # equally good, where the algorithm lists them
    why: str = ""  # why this algorithm
    promise: str = ""  # what it guarantees by its theorem, whatever the table
    seed: int = 0
    checks: int = 0
    seconds: float = 0.0
    trace: tuple[Found, ...] = field(default=(), repr=False)

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

    @property
    def gap(self) -> float:
        """How much of the cost might still be saved, as a share: 0 when optimal."""
        if self.cost is None or self.status is Status.UNMET:
            return math.inf
        return 0.0 if self.status is Status.OPTIMAL else gap_between(self.cost, self.bound)

    def expect(self, status: Status) -> Solution:
        """This solution, or NotProven if it is weaker than ``status``."""
        if self.status is Status.UNMET:
            problem = f"the recoding that {self.algorithm} ends with does not meet the policy"
            fix = "use a system that keeps k; compare shows which do"
            raise NotProven(Fault("solution", problem, fix))
        if RANK[self.status] < RANK[status]:
            raise NotProven(
                Fault(
                    "solution",
                    f"it is {self.status} (stopped: {self.stop}), not {status}",
                    "give the search more time, or accept the bound and gap it has",
                )
            )
        return self

    def claim(self) -> str:
        """The claim in one sentence."""
        if self.status is Status.UNMET:
            return (
                f"{self.algorithm} promises no more than it tests: this recoding does not meet the "
                "policy, and must not be released."
            )
        if self.status is Status.OPTIMAL:
            best = best_of(self.space, self.metric)
            return f"{best}; this is proved by {self.proof.sentence()}."
        if self.status is Status.FEASIBLE:
            return how_far(self.space, self.metric, self.bound, self.gap)
        if self.status is Status.INFEASIBLE:
            return f"No {self.space.recoding} meets this policy."
        return "No recoding that meets the policy has been found yet."


def gap_between(cost: float, bound: float) -> float:
    """How much of a cost lies above a bound, as a share."""
    if cost <= bound or cost == 0:
        return 0.0
    return min(1.0, (cost - bound) / abs(cost))


def best_of(space: Space, metric: str) -> str:
    """The claim that nothing is cheaper, without its proof."""
    return f"No {space.recoding} that meets this policy has a lower {metric} cost"


def how_far(space: Space, metric: str, bound: float, gap: float) -> str:
    """The claim of a recoding that others may be cheaper than, and how much at most."""
    if gap >= UNKNOWN_GAP:
        return (
            "This recoding meets the policy. How far it is from the best is not known: the search "
            f"has no useful bound on the {metric} cost."
        )
    saved = f"at most {gap:.1%}" if gap >= 0.001 else "less than 0.1%"
    return (
        f"This recoding meets the policy. No {space.recoding} that does has a {metric} cost below "
        f"{bound:.6g}: {saved} could be saved."
    )
