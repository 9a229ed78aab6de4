"""``release``: edit the original as the solution says, verify, and hand over or refuse."""

from __future__ import annotations

import numpy as np

from lookalike.errors import Fault, Infeasible, NotProven
from lookalike.problem.problem import Problem
from lookalike.releasing.plan import plan
from lookalike.releasing.release import Release
from lookalike.solution.recoding import CellMap, Recoding
from lookalike.solution.solution import Solution, Status
from lookalike.tables.table import Table
from lookalike.verifier.certificate import refuse
from lookalike.verifier.finding import Finding
from lookalike.verifier.verify import verify_release
from lookalike.version import VERSION


def make_release(table: Table, problem: Problem, solution: Solution) -> Release:
    """A verified release, or ReleaseRefused."""
    if solution.status is Status.INFEASIBLE:
        raise Infeasible(infeasible_fault(problem))
    if solution.recoding is None:
        raise NotProven(
            Fault(
                "solution",
                f"no recoding that meets the policy was found (stopped: {solution.stop})",
                "give the search more time",
            )
        )
    check_fits(problem, solution.recoding)
    eligible = table.only(problem.policy.eligible)
    released = eligible.edit(plan(problem, solution, table.columns))
    certificate = verify_release(table, released, problem.policy, solution, VERSION)
    certificate.expect_passed()
    return Release(table, released, problem.policy, solution, certificate)


def check_fits(problem: Problem, recoding: Recoding) -> None:
    """A solution may come from a file: levels that no hierarchy has must not reach the kernels."""
    heights = np.array([table.height for table in problem.tables])
    fits = recoding.names == problem.names
    if fits and isinstance(recoding, CellMap):
        held = np.zeros(problem.counts.groups, dtype=np.int64)
        fits = bool((recoding.group < problem.counts.groups).all())
        if fits:
            np.add.at(held, recoding.group, recoding.rows)
            fits = np.array_equal(held, problem.counts.counts[problem.canonical])
            fits = fits and bool((recoding.levels <= heights).all())
    elif fits:
        fits = bool((np.array(recoding.levels) <= heights).all())
    refuse((Finding("solution", fits, "The solution has no recoding for this policy and table."),))


def infeasible_fault(problem: Problem) -> Fault:
    """Why nothing meets the policy, and what would help."""
    top = problem.evaluate(problem.high)
    rows = f"{top.suppressed:,} of {problem.rows:,} rows"
    if top.suppressed > problem.allowance:
        enough = top.suppressed < problem.rows  # all rows cannot be suppressed
        more = f"or set suppress to {top.suppressed} or more, " if enough else ""
        return Fault(
            "policy",
            f"even the coarsest recoding allowed suppresses {rows}; the policy allows "
            f"{problem.allowance:,}",
            f"allow coarser levels, {more}or lower k",
        )
    return Fault(
        "policy",
        "every recoding allowed suppresses all rows, or too few to hide among themselves",
        'allow coarser levels, lower k, or set suppressed = "drop" under conventions',
    )
