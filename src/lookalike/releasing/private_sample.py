"""Draw the sample of a private release, after its levels are given or chosen.

Rows are drawn independently, each with the probability β of the promise. Which rows were drawn is
not stored anywhere: the promise does not hold against anyone who knows it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Protocol

from lookalike.errors import Fault, Infeasible
from lookalike.policy.policy import Policy
from lookalike.problem.prepare import prepare
from lookalike.problem.problem import Problem
from lookalike.releasing.private_levels import private_levels, promise_of
from lookalike.releasing.randomness import Randomness, draw_rows
from lookalike.solution.solution import Status
from lookalike.tables.sampled_table import SampledTable, sampled_table
from lookalike.tables.table import Table

WHERE = "differential privacy"


class Asked(Protocol):
    """The request of a run, as the pipeline has it."""

    @property
    def by(self) -> Any: ...
    @property
    def seed(self) -> int: ...
    @property
    def want(self) -> Status: ...
    @property
    def ledger(self) -> Any: ...
    @property
    def solution(self) -> Any: ...
    @property
    def earlier(self) -> Any: ...


@dataclass(frozen=True, slots=True, eq=False)
class PrivateSample:
    """The sample, its counts, and the levels at which it is released."""

    table: SampledTable
    problem: Problem
    levels: tuple[int, ...]


def draw_sample(table: Table, policy: Policy, randomness: Randomness) -> PrivateSample:
    """Choose the levels on the whole table, draw the sample, and count it. Infeasible if empty."""
    whole = prepare(table, policy, hold=sys.maxsize, drawing=True)
    levels, beta = private_levels(whole, randomness), promise_of(policy).beta
    whole.release_memory()
    sample = sampled_table(
        table, lambda rows: draw_rows(rows, beta, randomness), secret=randomness.secret
    )
    if sample.rows() < policy.smallest:
        raise Infeasible(_empty_release(policy))
    problem = prepare(sample, policy, hold=sys.maxsize)
    if not problem.evaluate_node(levels).meets:
        raise Infeasible(_empty_release(policy))
    return PrivateSample(sample, problem, levels)


def _empty_release(policy: Policy) -> Fault:
    problem = (
        f"no class of the drawn rows has {policy.smallest} rows at the levels of this run, so the "
        "release would be empty"
    )
    fix = (
        "use coarser levels, a larger epsilon or delta, or fewer quasi-identifiers; a new run "
        "draws again, and spends epsilon and delta again"
    )
    return Fault(WHERE, problem, fix)


def request_faults(request: Asked, *, releasing: bool) -> list[Fault]:
    """Settings of the run that cannot be combined with a secret sample."""
    faults = []
    if not releasing or request.solution is not None:
        fix = "use lookalike run, or la.anonymize, which draws the sample and releases it"
        faults.append(Fault(WHERE, "search and release cannot be two steps", fix))
    if request.earlier is not None:
        problem = "the levels of an earlier recoding were chosen by looking at other rows"
        fix = "give these levels in the policy, if they may be known"
        faults.append(Fault(WHERE, problem, fix))
    name = getattr(request.by, "name", request.by)
    if name not in (None, "auto"):
        problem = "no algorithm searches: the levels are given, or chosen at random by their score"
        faults.append(Fault("by", f"{problem} ({WHERE})", "leave it out"))
    if request.ledger is not None:
        problem = "the ledger would keep which people were drawn"
        fix = "leave it out, and add up epsilon and delta over all releases of these people"
        faults.append(Fault("ledger", problem, fix))
    if request.want is Status.OPTIMAL:
        problem = "levels that are given, or chosen at random, are not proved optimal"
        faults.append(Fault("want", f"{problem} ({WHERE})", "accept feasible"))
    if request.seed:
        problem = "the sample is drawn with secret random bits, so there is no seed"
        faults.append(Fault("seed", problem, "leave it out"))
    return faults
