"""The verbs: measure, prepare, explain, solve, compare, examine, release, verify, anonymize.

A table is a path to a CSV or Parquet file, an address in PostgreSQL or Spark, a pandas, polars,
Dask or Spark frame, a pyarrow or ibis table or a DuckDB relation. What comes in as one kind of
frame goes out as the same kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.errors import Fault, NotProven, PolicyError
from lookalike.events import Observer, silent
from lookalike.policy.policy import Policy
from lookalike.problem import changes as changing
from lookalike.problem import prepare as preparing
from lookalike.problem.changes import Change
from lookalike.problem.explain import Explanation, explain_problem
from lookalike.problem.given import check_policy, check_problem, check_solution
from lookalike.problem.problem import Problem
from lookalike.releasing import examine as examining
from lookalike.releasing.examine import Examination
from lookalike.releasing.make import check_fits, make_release
from lookalike.releasing.release import Release, certificate_path
from lookalike.risk.measure import Risk, measure_counts
from lookalike.search.algorithm import Algorithm
from lookalike.search.choose import choose
from lookalike.search.compare import compare
from lookalike.search.limits import Limits
from lookalike.search.options import check_whole
from lookalike.search.solve import solve
from lookalike.solution.solution import Solution, Status
from lookalike.tables.elsewhere import note_of
from lookalike.tables.open import open_table
from lookalike.tables.remembering import counted
from lookalike.tables.table import release_expected
from lookalike.verifier.certificate import Certificate, refuse, says_the_same
from lookalike.verifier.finding import Finding
from lookalike.verifier.outside import not_checked, verify_from_outside
from lookalike.verifier.verify import verify_release
from lookalike.version import VERSION

if TYPE_CHECKING:
    from lookalike.tables.table import Table

__all__ = [
    "Verdict",
    "anonymize",
    "changes",
    "compare",
    "examine",
    "explain",
    "measure",
    "prepare",
    "release",
    "solve",
    "verify",
]


def measure(table: Any, columns: Sequence[str]) -> Risk:
    """How exposed are the people of a table, to someone who knows these columns?"""
    if isinstance(columns, str) or not columns:
        raise PolicyError(
            Fault("columns", "not a list of columns", 'name columns, as ["age", "zip"]')
        )
    return measure_counts(counted(open_table(table), tuple(columns)))


def prepare(table: Any, policy: Policy, *, hold: int = preparing.HOLD) -> Problem:
    """Check the policy against the table, count once, tabulate the hierarchies.

    Of more than ``hold`` distinct tuples the counts stay on the engine, and only some nodes of the
    lattice are fetched: the exact full-domain search works with that, others refuse.
    """
    check_policy(policy)
    check_whole("prepare(hold=...)", hold)
    return preparing.prepare(open_table(table), policy, hold=hold)


def explain(problem: Problem) -> Explanation:
    """How large the problem is, and which algorithm ``auto`` would take, and why."""
    check_problem(problem)
    algorithm, why = choose(problem)
    return explain_problem(problem, algorithm.name, why)


def changes(problem: Problem, solution: Solution) -> tuple[Change, ...]:
    """Which cells a solution changes, and how far, column by column."""
    check_problem(problem)
    check_solution(solution)
    if solution.recoding is None:
        told = f"there is no recoding ({solution.status})"
        raise NotProven(Fault("solution", told, "give the search more time, or ask for less"))
    check_fits(problem, solution.recoding)
    return changing.changes(problem, solution.recoding)


def release(table: Any, problem: Problem, solution: Solution) -> Release:
    """Recode the table as the solution says. Verified before you get it, or ReleaseRefused."""
    check_problem(problem)
    check_solution(solution)
    return make_release(open_table(table), problem, solution)


def examine(table: Any, problem: Problem, solution: Solution) -> Examination:
    """Recode the table to look at it, safe or not. It cannot be written; use ``release`` for that.

    For systems that promise less than the policy asks, as μ-Argus: shows what they would publish,
    what the verifier finds, and which rows are exposed.
    """
    check_problem(problem)
    check_solution(solution)
    return examining.examine(open_table(table), problem, solution)


def anonymize(
    table: Any,
    policy: Policy,
    by: Algorithm | str | None = None,
    limits: Limits | None = None,
    observer: Observer = silent,
    seed: int = 0,
    want: Status = Status.FEASIBLE,
) -> Release:
    """From table and policy to a verified release, in one call."""
    check_policy(policy)
    opened: Table = open_table(table)
    with release_expected(opened):
        problem = preparing.prepare(opened, policy)
        solution = solve(problem, by, limits, observer, seed)
        if solution.status in (Status.OPTIMAL, Status.FEASIBLE):
            solution.expect(want)
        return make_release(opened, problem, solution)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a verification found, and what it could not look at for want of the original."""

    findings: tuple[Finding, ...]
    not_checked: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return all(finding.holds for finding in self.findings)

    def expect_passed(self) -> Verdict:
        """This verdict, or ReleaseRefused with every check that failed."""
        refuse(self.findings)
        return self


def _beside(released: Any, table: Table) -> Certificate | Path | None:
    """The certificate that lies beside a file, or goes with a table of a database."""
    if (noted := Certificate.in_note(note_of(table), table.name)) is not None:
        return noted
    if isinstance(released, str | PathLike) and table.path is not None:
        beside = certificate_path(Path(released))
        return beside if beside.exists() else None
    return None


def verify(
    released: Any,
    certificate: Certificate | str | PathLike[str] | None = None,
    *,
    original: Any = None,
    policy: Policy | None = None,
    solution: Solution | None = None,
) -> Verdict:
    """Look at a release with fresh eyes.

    With its certificate, which for a file is looked for beside it: what anyone can check. With the
    original, the policy and the solution: everything, the proof of optimality included.
    """
    table = open_table(released)
    if certificate is None and original is None:
        certificate = _beside(released, table)
    findings: tuple[Finding, ...] = ()
    unseen: tuple[str, ...] = ()
    if certificate is not None:
        if not isinstance(certificate, Certificate):
            certificate = Certificate.load(Path(certificate))
        findings += verify_from_outside(table, certificate)
        unseen = not_checked(certificate)
    inside = (original, policy, solution)
    if any(part is not None for part in inside):
        if original is None or policy is None or solution is None:
            raise PolicyError(
                Fault(
                    "verify",
                    "original, policy and solution go together",
                    "give all three, or only the certificate",
                )
            )
        check_policy(policy)
        check_solution(solution)
        unseen = ()
        fresh = verify_release(open_table(original), table, policy, solution, VERSION)
        findings += tuple(found for found in fresh.findings if found not in findings)
        if certificate is not None:
            same = says_the_same(certificate, fresh)
            says = "says" if same else "does not say"
            findings += (Finding("certificate", same, f"The certificate {says} what was found."),)
    if not findings:
        raise PolicyError(
            Fault(
                "verify",
                "nothing to verify against",
                "give the path of a certificate, or original=, policy= and solution=",
            )
        )
    return Verdict(findings, unseen)
