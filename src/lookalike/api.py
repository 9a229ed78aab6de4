"""The verbs: measure, prepare, explain, solve, compare, examine, release, verify, anonymize;
and attack, to try a release out.

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

from lookalike.attacking.linking_attack import attack
from lookalike.errors import Fault, NotProven, PolicyError
from lookalike.events import Observer, silent
from lookalike.policy.policy import Policy
from lookalike.privacy.requirement import Requirement
from lookalike.problem import cell_changes as changing
from lookalike.problem import prepare as preparing
from lookalike.problem.argument_checks import check_policy, check_problem, check_solution
from lookalike.problem.cell_changes import Change
from lookalike.problem.explanation import AS_ASKED, Explanation, explain_problem
from lookalike.problem.problem import Problem
from lookalike.pseudonyms.secret_key import KeyGiven, needed_key, read_key
from lookalike.releasing import examination as examining
from lookalike.releasing.build_release import check_fits, make_release
from lookalike.releasing.examination import Examination
from lookalike.releasing.pseudonymize import check_pseudonyms
from lookalike.releasing.reapply import Unseen, check_applied, levels_of, with_unseen
from lookalike.releasing.release import Release, certificate_path
from lookalike.risks.attacker_models import THRESHOLD
from lookalike.risks.parameters import Asked, named_columns
from lookalike.risks.population_match import count_people, match
from lookalike.risks.table_risk import Risk, measure_counts
from lookalike.search.algorithm import Algorithm
from lookalike.search.auto_choice import choose, named
from lookalike.search.compare import compare
from lookalike.search.lattice.fixed_levels import FixedLevels
from lookalike.search.limits import Limits
from lookalike.search.option_checks import check_whole
from lookalike.search.runtime_estimate import expect
from lookalike.search.solve import check_suited, solve
from lookalike.solution.solution import Solution, Status
from lookalike.tables.cache.count_cache import counted
from lookalike.tables.open import open_table
from lookalike.tables.remote_tables import note_of
from lookalike.tables.table import release_expected
from lookalike.verifier.certificate.certificate import Certificate, refuse, says_the_same, whole
from lookalike.verifier.certificate.public_checks import not_checked, verify_from_outside
from lookalike.verifier.finding import Finding
from lookalike.verifier.pseudonyms import people as pseudonyms_people
from lookalike.verifier.requirements.unmodified_table import findings_as_it_is
from lookalike.verifier.verify import verify_release
from lookalike.version import VERSION

if TYPE_CHECKING:
    from lookalike.tables.table import Table

__all__ = [
    "Verdict",
    "anonymize",
    "attack",
    "changes",
    "check",
    "compare",
    "examine",
    "explain",
    "measure",
    "prepare",
    "reapply",
    "release",
    "solve",
    "verify",
]


def measure(
    table: Any,
    columns: Sequence[str],
    *,
    population: Any = None,
    population_count: str | None = None,
    population_size: int | None = None,
    sampling_fraction: float | None = None,
    threshold: float = THRESHOLD,
    combinations: bool | int = False,
) -> Risk:
    """How exposed are the people of a table, to someone who knows these columns?

    ``population`` is a table with the same columns, one row a person, or as many people as the
    column ``population_count`` says. Where there is none, ``population_size`` or
    ``sampling_fraction`` estimates who is unique there. ``combinations`` finds the smallest sets
    of columns that single rows out: of up to 4 columns, fewer if that would take long, or of as
    many as it says.
    """
    names = named_columns(columns)
    if population_count is not None and population is None:
        fix = "give the population's table, as population="
        raise PolicyError(Fault("population_count", "there is no population", fix))
    asked = Asked(threshold, population_size, sampling_fraction, combinations)
    counts = counted(open_table(table), names)
    matched = None
    if population is not None:
        people = count_people(open_table(population), counts.names, population_count)
        matched = match(counts, people)
    return measure_counts(counts, asked, matched)


def check(
    table: Any,
    columns: Sequence[str],
    require: Requirement | Sequence[Requirement] | None = None,
    *,
    policy: Policy | None = None,
) -> Verdict:
    """Is a table already safe as it is, to someone who knows these columns?

    Held against ``require``, and against what a ``policy`` requires over its sets of columns.
    """
    if policy is not None:
        check_policy(policy)
    rules = (require,) if isinstance(require, Requirement) else tuple(require or ())
    return Verdict(tuple(findings_as_it_is(open_table(table), tuple(columns), rules, policy)))


def prepare(table: Any, policy: Policy, *, hold: int = preparing.HOLD) -> Problem:
    """Check the policy against the table, count once, tabulate the hierarchies.

    Of more than ``hold`` distinct tuples the counts stay on the engine, and only some nodes of the
    lattice are fetched: the exact full-domain search works with that, others refuse.
    """
    check_policy(policy)
    check_whole("prepare(hold=...)", hold)
    return preparing.prepare(open_table(table), policy, hold=hold)


def explain(problem: Problem, by: Algorithm | str | None = None) -> Explanation:
    """How large the problem is, which algorithm ``auto`` would take and why, and for how long.

    If another is asked for, how long that would take; NotSuited if it would refuse. For the time, a
    few nodes are counted: about half a second at the most.
    """
    check_problem(problem)
    asked = named(by)
    algorithm, why = (asked, AS_ASKED) if asked is not None else choose(problem)
    check_suited(algorithm, problem)
    return explain_problem(problem, algorithm.name, why, expect(problem, algorithm))


def changes(problem: Problem, solution: Solution) -> tuple[Change, ...]:
    """Which cells a solution changes, and how far, column by column."""
    check_problem(problem)
    check_solution(solution)
    if solution.recoding is None:
        told = f"there is no recoding ({solution.status})"
        raise NotProven(Fault("solution", told, "give the search more time, or ask for less"))
    check_fits(problem, solution.recoding)
    return changing.changes(problem, solution.recoding)


def release(table: Any, problem: Problem, solution: Solution, *, key: KeyGiven = None) -> Release:
    """Recode the table as the solution says. Verified before you get it, or ReleaseRefused.

    ``key``, for a policy with pseudonyms, is the secret key as bytes, or the path of its file.
    """
    check_problem(problem)
    check_solution(solution)
    return make_release(open_table(table), problem, solution, read_key(key))


def examine(
    table: Any, problem: Problem, solution: Solution, *, key: KeyGiven = None
) -> Examination:
    """Recode the table to look at it, safe or not. It cannot be written; use ``release`` for that.

    For systems that promise less than the policy asks, as μ-Argus: shows what they would publish,
    what the verifier finds, and which rows are exposed.
    """
    check_problem(problem)
    check_solution(solution)
    return examining.examine(open_table(table), problem, solution, read_key(key))


def anonymize(
    table: Any,
    policy: Policy,
    by: Algorithm | str | None = None,
    limits: Limits | None = None,
    observer: Observer = silent,
    seed: int = 0,
    want: Status = Status.FEASIBLE,
    *,
    key: KeyGiven = None,
) -> Release:
    """From table and policy to a verified release, in one call.

    ``key``, for a policy with pseudonyms, is the secret key as bytes, or the path of its file.
    """
    check_policy(policy)
    secret = needed_key(policy, key)
    opened: Table = open_table(table)
    with release_expected(opened):
        problem = preparing.prepare(opened, policy)
        check_pseudonyms(opened, policy)
        solution = solve(problem, by, limits, observer, seed)
        if solution.status in (Status.OPTIMAL, Status.FEASIBLE):
            solution.expect(want)
        return make_release(opened, problem, solution, secret)


@dataclass(frozen=True, slots=True)
class Reapplied:
    """A release by the recoding of another table, and what was new in this one."""

    release: Release
    unseen: tuple[Unseen, ...]  # values that a tree did not name
    policy: Policy  # with these in it: what the release is verified by


def reapply(
    table: Any,
    policy: Policy,
    solution: Solution,
    limits: Limits | None = None,
    observer: Observer = silent,
    *,
    key: KeyGiven = None,
) -> Reapplied:
    """Recode the next table as an earlier one was, by the levels of its solution.

    Values that a tree does not name go into a group of their own; rows whose lookalikes are gone
    are suppressed, within what the policy allows. Infeasible if that is not enough. The solution of
    the release says how far from the best for this table it is.
    """
    check_policy(policy)
    check_solution(solution)
    levels = levels_of(solution)
    opened: Table = open_table(table)
    if found := policy.faults(opened.columns):
        raise PolicyError(found)
    policy, unseen = with_unseen(policy, opened)
    secret = needed_key(policy, key)
    with release_expected(opened):
        problem = preparing.prepare(opened, policy)
        check_pseudonyms(opened, policy)
        applied = solve(problem, FixedLevels(levels), limits, observer)
        check_applied(problem, applied, levels, unseen)
        return Reapplied(make_release(opened, problem, applied, secret), unseen, policy)


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
    key: KeyGiven = None,
) -> Verdict:
    """Look at a release with fresh eyes.

    With its certificate, which for a file is looked for beside it: what anyone can check. With the
    original, the policy and the solution: everything, the proof of optimality included; if the
    policy has pseudonyms, with the ``key`` they were made with.
    """
    secret = read_key(key)
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
        if whole(certificate.content):
            findings += pseudonyms_people.people_from_outside(table, certificate)
            unseen = (*pseudonyms_people.not_checked(certificate), *unseen)
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
        secret = needed_key(policy, secret)
        fresh = verify_release(open_table(original), table, policy, solution, VERSION, secret)
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
