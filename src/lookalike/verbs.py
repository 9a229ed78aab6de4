"""The verbs of the library, each a few lines over the rooms that do the work.

A table is a path to a CSV or Parquet file, an address in DuckDB, PostgreSQL or Spark, a pandas,
polars, Dask or Spark frame, a pyarrow or ibis table, or a DuckDB relation. A frame comes back as
the kind it came in. The command line has the same verbs under the same names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, overload

from lookalike.attacking.linking_attack import LinkingAttack, link
from lookalike.attacking.release_attacks import AttackResult, attack_names, run_attacks
from lookalike.attacking.release_view import view_from_outside
from lookalike.errors import Fault, FileError, LookalikeError, NotProven, PolicyError
from lookalike.events import Observer, silent
from lookalike.pipeline import Pipeline, Request
from lookalike.policy import draft, policy_file
from lookalike.policy.policy import Policy
from lookalike.privacy.k_anonymity import DEFAULT_K, KAnonymity
from lookalike.privacy.requirement import Requirement
from lookalike.problem import prepare as preparing
from lookalike.problem.argument_checks import check_policy, check_problem, check_solution
from lookalike.problem.explanation import Explanation, explain_problem
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_changes import Change
from lookalike.pseudonyms.secret_key import KeyGiven, needed_key, read_key
from lookalike.releasing import examination
from lookalike.releasing.build_release import check_fits, make_release
from lookalike.releasing.examination import Examination
from lookalike.releasing.kept_column_gate import check_kept_columns, gate_faults
from lookalike.releasing.ledger import LedgerGiven
from lookalike.releasing.reapply import Unseen
from lookalike.releasing.release import Release, certificate_path
from lookalike.risks.attacker_models import THRESHOLD
from lookalike.risks.kept_columns.screening import Screening, screen_kept_columns
from lookalike.risks.parameters import RiskOptions, named_columns
from lookalike.risks.population_match import count_people, match
from lookalike.risks.screening.column_profile import profiles
from lookalike.risks.table_risk import Risk, measure_counts
from lookalike.search.algorithm import Algorithm
from lookalike.search.auto_choice import choose, named
from lookalike.search.limits import Limits
from lookalike.search.option_checks import check_whole
from lookalike.search.runtime_estimate import expect
from lookalike.search.solve import check_suited
from lookalike.signatures.certificate_signature import (
    check_signature,
    signature_path,
    write_signature,
)
from lookalike.signatures.ed25519 import Passphrase
from lookalike.signatures.signers import Signer, SignersGiven, read_signers
from lookalike.signatures.signing_key import SigningKeyGiven, read_signing_key
from lookalike.solution.solution import AS_ASKED, Solution, Status
from lookalike.tables.addresses import check_scheme, is_address, note_of
from lookalike.tables.cache.count_cache import cached_counts
from lookalike.tables.files.pair_replacement import repair_beside
from lookalike.tables.open import open_table
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import (
    Certificate,
    agree,
    certificate_bytes,
    refuse,
)
from lookalike.verifier.certificate.fields import NOT_SIGNED
from lookalike.verifier.certificate.public_checks import (
    SIGNATURE_NOT_CHECKED,
    SIGNED,
    check_certificate,
    not_checked,
)
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.unmodified_table import check_table
from lookalike.verifier.verify import verify_release
from lookalike.version import VERSION


def risk(
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
    """Measure how exposed the people of a table are to an outsider who knows these columns.

    Parameters
    ----------
    table
        The table, in any of the forms that lookalike reads.
    columns : sequence of str
        The columns that the outsider knows.
    population : optional
        A table of the whole population with the same columns, one row per person.
    population_count : str, optional
        A column of ``population`` that says how many people each of its rows stands for.
    population_size : int, optional
        How many people there are, if there is no table of them. Estimates population uniques.
    sampling_fraction : float, optional
        The share of the population that is in the table; an alternative to ``population_size``.
    threshold : float
        The risk above which a row counts as being at risk.
    combinations : bool or int
        Find the smallest sets of columns that single out a row: sets of up to 4 columns (fewer if
        that would take long), or of up to this number of columns.

    Returns
    -------
    Risk
        Class sizes, three attackers' risks, and what was asked for besides.

    Raises
    ------
    PolicyError
        If a column does not exist or a number makes no sense.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> table = pa.table({"age": [31, 31, 58], "sex": ["f", "f", "m"]})
    >>> risk = la.risk(table, ["age", "sex"])
    >>> risk.smallest, risk.highest
    (1, 1.0)
    """
    names = named_columns(columns)
    if population_count is not None and population is None:
        fix = "give the table of the population, with population="
        raise PolicyError(Fault("population_count", "there is no population", fix))
    options = RiskOptions(threshold, population_size, sampling_fraction, combinations)
    counts = cached_counts(open_table(table), names)
    matched = None
    if population is not None:
        people = count_people(open_table(population), counts.names, population_count)
        matched = match(counts, *people)
    return measure_counts(counts, options, matched)


def check(
    table: Any,
    columns: Sequence[str],
    require: Requirement | Sequence[Requirement] | None = None,
    *,
    policy: Policy | None = None,
) -> Verdict:
    """Check whether a table already meets requirements, without changing it.

    Parameters
    ----------
    table
        The table, in any of the forms that lookalike reads.
    columns : sequence of str
        The columns that an outsider knows.
    require : Requirement or sequence of Requirement, optional
        What the table must meet over these columns. By default ``KAnonymity(5)``, or with
        ``policy`` what that requires.
    policy : Policy, optional
        Its requirements are checked as well, over its own sets of columns.

    Returns
    -------
    Verdict
        One finding for each requirement.

    Raises
    ------
    PolicyError
        If a column does not exist, or ``require`` is an empty list.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> table = pa.table({"age": [31, 31, 58], "sex": ["f", "f", "m"]})
    >>> la.check(table, ["age", "sex"], la.KAnonymity(2)).passed
    False
    """
    if policy is not None:
        check_policy(policy)
    if require is None:
        require = () if policy is not None else KAnonymity(DEFAULT_K)
    rules = (require,) if isinstance(require, Requirement) else tuple(require)
    return Verdict(tuple(check_table(open_table(table), tuple(columns), rules, policy)))


@overload
def attack(
    release: Any,
    outsiders: Any,
    on: Sequence[str] | Mapping[str, str],
    *,
    policy: Policy | None = None,
    sensitive: Sequence[str] | None = None,
    before: Any = None,
    also: Any = None,
    name: str | None = None,
    show: int = 0,
) -> LinkingAttack: ...


@overload
def attack(
    release: Any,
    outsiders: Any = None,
    on: Sequence[str] | Mapping[str, str] | None = None,
    *,
    by: str | Sequence[str],
    policy: Policy,
    sensitive: Sequence[str] | None = None,
    before: Any = None,
    certificate: Certificate | str | PathLike[str] | None = None,
) -> tuple[AttackResult, ...]: ...


def attack(
    release: Any,
    outsiders: Any = None,
    on: Sequence[str] | Mapping[str, str] | None = None,
    *,
    by: str | Sequence[str] | None = None,
    policy: Policy | None = None,
    sensitive: Sequence[str] | None = None,
    before: Any = None,
    also: Any = None,
    name: str | None = None,
    show: int = 0,
    certificate: Certificate | str | PathLike[str] | None = None,
) -> LinkingAttack | tuple[AttackResult, ...]:
    """Attack a release, with a list of people or with nothing but the release itself.

    Without ``by``, people of a list are looked up in the release by the columns that both have.
    With ``by``, the attacks of the literature are run that use the release itself: ``"all"``, or
    some of ``"kept-columns"``, ``"skewness"``, ``"similarity"``, ``"minimality"``,
    ``"definetti"``, ``"downcoding"``, ``"refinement"``.

    Parameters
    ----------
    release
        The released table, in any of the forms that lookalike reads.
    outsiders : optional
        The table of the outsider, one row per person.
    on : list of str, or dict, optional
        The columns that the outsider knows; a dict goes from the names in the release to those in
        the outsider's table.
    by : str or several, optional
        Attacks that use the release itself. They need the policy. With ``outsiders``, a list of
        everybody in the table is public as well.
    policy : Policy, optional
        Its hierarchies say what the names of groups cover. Without it, labels are read by their
        text alone.
    sensitive : sequence of str, optional
        The columns that the outsider wants to learn; by default all other columns of the release,
        or with ``by`` the sensitive columns of the policy.
    before : optional
        The original table, for comparison. With ``by``, it says which values there are.
    also : optional
        Another release about the same people.
    name : str, optional
        The column of the outsider's table that names people.
    show : int
        How many of the people that are singled out to list. This shows cell values.
    certificate : Certificate or path, optional
        With ``by``: it says which algorithm made the release. By default the certificate that was
        written with the release, if there is one.

    Returns
    -------
    LinkingAttack, or tuple of AttackResult
        With ``by``, the findings of each attack.

    Raises
    ------
    PolicyError
        If a table lacks a column, or an argument is not as described.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> release = pa.table({"age": ["30-39", "30-39", "50-59"], "diagnosis": ["flu", "flu", "HIV"]})
    >>> attack = la.attack(release, pa.table({"age": [34]}), ["age"])
    >>> attack.after.fewest, attack.certainty  # two rows fit, and both have the same diagnosis
    (2, 1.0)
    >>> policy = la.Policy(
    ...     quasi_identifiers={"age": la.flat()}, sensitive="diagnosis", require=la.KAnonymity(2)
    ... )
    >>> [skewness] = la.attack(release, by="skewness", policy=policy)
    >>> skewness.findings.certain  # people whose diagnosis the release tells
    3
    """
    if by is None:
        if outsiders is None or on is None:
            fix = (
                'name what outsiders know: a table and columns; or use the release alone: by="all"'
            )
            raise PolicyError(Fault("attack", "nothing is known to the attacker", fix))
        return link(
            release, outsiders, on, policy=policy, sensitive=sensitive, before=before, also=also,
            name=name, show=show,
        )  # fmt: skip
    opened = open_table(release)
    names = attack_names(by)
    if policy is None:
        fix = "give the policy; its hierarchies are public"
        raise PolicyError(Fault("policy", "attacks on the release itself need it", fix))
    check_policy(policy)
    if certificate is None:
        certificate = stored_certificate(opened, release)
    if certificate is not None and not isinstance(certificate, Certificate):
        certificate = Certificate.load(Path(certificate))
    content = {} if certificate is None else certificate.content
    view = view_from_outside(
        opened,
        policy,
        sensitive=sensitive,
        people=None if outsiders is None else open_table(outsiders),
        on=on,
        original=None if before is None else open_table(before),
        algorithm=content["claim"]["algorithm"] if content else "",
        suppressed=content["rows"]["suppressed"] if content else 0,
    )
    return run_attacks(opened, view, names)


def load_policy(path: str | PathLike[str]) -> Policy:
    """Read a policy from a policy file.

    The file's ``[search]`` section is not part of the policy. The command line reads it.

    Parameters
    ----------
    path : str or path
        A TOML file; paths in it are relative to it.

    Returns
    -------
    Policy

    Raises
    ------
    PolicyError
        If the file cannot be read, with every fault that it has.

    Examples
    --------
    >>> import lookalike as la, tempfile, pathlib
    >>> policy = la.Policy(quasi_identifiers={"zip": la.prefix()}, require=la.KAnonymity(5))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     policy.save(pathlib.Path(folder) / "policy.toml")
    ...     la.load_policy(pathlib.Path(folder) / "policy.toml") == policy
    True
    """
    return policy_file.load(path).policy


def draft_policy(table: Any, k: int = DEFAULT_K) -> str:
    """Draft a policy file from what a table looks like, as ``lookalike init`` does.

    Every role and hierarchy is a guess from the names and values of the columns, and comes with its
    reason as a comment. Read each one: only you know what outsiders know.

    Parameters
    ----------
    table
        The table, in any of the forms that lookalike reads.
    k : int
        The k of the drafted requirement.

    Returns
    -------
    str
        The text of a policy file (TOML). It shows no cell values.

    Raises
    ------
    PolicyError
        If the table has no columns.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> text = la.draft_policy(pa.table({"zip": ["02139", "02142"], "diagnosis": ["flu", "flu"]}))
    >>> [line for line in text.splitlines() if line.startswith("zip")]
    ['zip = { prefix = true }']
    """
    opened = open_table(table)
    columns = [profile.facts for profile in profiles(opened)]
    text = draft.draft_policy(columns, opened.name, k)
    policy = policy_file.loads(text).policy
    faults = gate_faults(screen_kept_columns(opened, policy), policy)
    return draft.with_findings(text, [f"{fault.problem}." for fault in faults])


def prepare(
    table: Any, policy: Policy, *, labels: Sequence[str] = (), hold: int = preparing.HOLD
) -> Problem:
    """Check a policy against a table, count the table once, and tabulate the hierarchies.

    Parameters
    ----------
    table
        The table, in any of the forms that lookalike reads.
    policy : Policy
        Roles, requirements and what may be spent on them.
    labels : sequence of str
        Columns kept unchanged that are counted as well, so that ``compare`` can measure CM.
    hold : int
        The number of distinct tuples that are fetched. Above it, the counts stay in the database
        and only nodes of the lattice are fetched: the exact full-domain search works with that,
        other algorithms refuse.

    Returns
    -------
    Problem
        What a search works on. It holds counts, not rows.

    Raises
    ------
    PolicyError
        If the policy does not fit the table, with every fault.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> problem = la.prepare(table, policy)
    >>> problem.rows, problem.groups, problem.nodes
    (6, 6, 4)
    """
    check_policy(policy)
    check_whole("prepare(hold=...)", hold)
    return preparing.prepare(open_table(table), policy, labels, hold)


def explain(problem: Problem, by: Algorithm | str | None = None) -> Explanation:
    """Describe a problem before it is searched: its size, the algorithm, the expected time.

    A few nodes are counted to estimate the time, which takes about half a second at most. With more
    than eight quasi-identifiers, it also estimates which three of them it would help most to leave
    out (``prices``), which takes about a second for each 30,000 distinct tuples.

    Parameters
    ----------
    problem : Problem
        What ``prepare`` returned.
    by : Algorithm or str, optional
        An algorithm. By default the one that ``auto`` would choose.

    Returns
    -------
    Explanation

    Raises
    ------
    NotSuited
        If the algorithm cannot run on this problem.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.explain(la.prepare(table, policy)).algorithm
    'flash'
    """
    check_problem(problem)
    requested = named(by)
    algorithm, why = (requested, AS_ASKED) if requested is not None else choose(problem)
    check_suited(algorithm, problem)
    from lookalike.search.column_prices import price_columns

    prices = price_columns(problem, algorithm)
    return explain_problem(problem, algorithm.name, why, expect(problem, algorithm), prices)


def screen(table: Any, policy: Policy) -> Screening:
    """Find what the kept columns of a table reveal, before anything is released.

    A kept column can restore one that is generalized or dropped (a wage and its logarithm), name
    people (an e-mail address), or single people out. ``la.anonymize`` and ``la.release`` refuse a
    policy with such columns unless it accepts them: ``accept={"wage": "the reason"}``.

    Parameters
    ----------
    table
        The table, in any of the forms that lookalike reads.
    policy : Policy
        The roles of its columns.

    Returns
    -------
    Screening
        The findings, each with the columns and the rows at risk.

    Raises
    ------
    PolicyError
        If the policy does not fit the table.

    Examples
    --------
    >>> import math, pyarrow as pa, lookalike as la
    >>> wages = [1000 + 37 * i for i in range(40)]
    >>> table = pa.table({"wage": wages, "lwage": [math.log(wage) for wage in wages]})
    >>> policy = la.Policy(
    ...     quasi_identifiers={"lwage": la.bands(1, 2)},
    ...     insensitive="wage",
    ...     require=la.KAnonymity(5),
    ... )
    >>> screening = la.screen(table, policy)
    >>> [finding.columns for finding in screening.refused(policy.accept)]
    [('wage',)]
    """
    check_policy(policy)
    opened = open_table(table)
    if faults := policy.faults(opened.columns):
        raise PolicyError(faults)
    return screen_kept_columns(opened, policy)


def changes(problem: Problem, solution: Solution) -> tuple[Change, ...]:
    """Count which cells a solution changes, and how far, column by column.

    Parameters
    ----------
    problem : Problem
        What ``prepare`` returned.
    solution : Solution
        What ``solve`` returned.

    Returns
    -------
    tuple of Change
        One for each quasi-identifier.

    Raises
    ------
    NotProven
        If the solution has no recoding.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> problem = la.prepare(table, policy)
    >>> [change.column for change in la.changes(problem, la.solve(problem))]
    ['age']
    """
    check_problem(problem)
    check_solution(solution)
    if solution.recoding is None:
        problem_found = f"there is no recoding ({solution.status})"
        fix = "give the search more time, or require less"
        raise NotProven(Fault("solution", problem_found, fix))
    check_fits(problem, solution.recoding)
    return problem.apply(solution.recoding).changes()


def release(table: Any, problem: Problem, solution: Solution, *, key: KeyGiven = None) -> Release:
    """Recode a table as a solution says, and verify the result.

    Parameters
    ----------
    table
        The table that ``problem`` was made from.
    problem : Problem
        What ``prepare`` returned.
    solution : Solution
        What ``solve`` returned.
    key : bytes or path, optional
        The secret key, or the path of its file, if the policy has pseudonyms.

    Returns
    -------
    Release
        The released table with its certificate. It has been verified.

    Raises
    ------
    PolicyError
        If a kept column reveals what the policy does not accept.
    ReleaseRefused
        If verification fails.
    Infeasible
        If no recoding meets the policy.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> problem = la.prepare(table, policy)
    >>> released = la.release(table, problem, la.solve(problem))
    >>> sorted(set(released.table["age"].to_pylist()))
    ['[30, 40)', '[50, 60)']
    """
    check_problem(problem)
    check_solution(solution)
    opened = open_table(table)
    screening = check_kept_columns(opened, problem.policy, problem.rows)
    return replace(make_release(opened, problem, solution, read_key(key)), screening=screening)


def examine(
    table: Any, problem: Problem, solution: Solution, *, key: KeyGiven = None
) -> Examination:
    """Recode a table to look at it, whether or not it is safe. The result cannot be written.

    For algorithms that promise less than the policy requires, for example μ-Argus: shows what they
    would publish, what the verifier finds, and which rows are exposed.

    Parameters
    ----------
    table
        The table that ``problem`` was made from.
    problem : Problem
        What ``prepare`` returned.
    solution : Solution
        What ``solve`` returned.
    key : bytes or path, optional
        The secret key, or the path of its file, if the policy has pseudonyms.

    Returns
    -------
    Examination

    Raises
    ------
    NotProven
        If the solution has no recoding.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> problem = la.prepare(table, policy)
    >>> seen = la.examine(table, problem, la.solve(problem, la.MuArgus()))
    >>> seen.table.num_rows
    6
    """
    check_problem(problem)
    check_solution(solution)
    return examination.examine(open_table(table), problem, solution, read_key(key))


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
    ledger: LedgerGiven = None,
) -> Release:
    """Make a verified release of a table, in one call.

    Parameters
    ----------
    table
        The table, in any of the forms that lookalike reads.
    policy : Policy
        Roles, requirements and what may be spent on them.
    by : Algorithm or str, optional
        The algorithm. By default the one that promises most for this problem.
    limits : Limits, optional
        When to stop searching. A stopped search releases the best recoding it has found.
    observer : callable
        Receives the events of the run (``lookalike.events``).
    seed : int
        For randomized algorithms.
    want : Status
        The weakest result to accept.
    key : bytes or path, optional
        The secret key, or the path of its file, if the policy has pseudonyms.
    ledger : Ledger or path, optional
        Where ``Release.write`` enters the release. It is checked before anything is counted.

    Returns
    -------
    Release
        The released table with its certificate. It has been verified.

    Raises
    ------
    PolicyError
        If the policy does not fit the table, with every fault.
    Infeasible
        If no recoding meets the policy.
    NotProven
        If the result is weaker than ``want``.
    ReleaseRefused
        If verification fails.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> released = la.anonymize(table, policy)
    >>> released.solution.status
    <Status.OPTIMAL: 'optimal'>
    """
    request = Request(
        table=table, policy=policy, by=by, limits=limits, seed=seed, want=want, key=key,
        ledger=ledger,
    )  # fmt: skip
    return Pipeline(request, observer).run()


@dataclass(frozen=True, slots=True)
class Reapplied:
    """A release by the recoding of an earlier table, and what was new in this one.

    Attributes
    ----------
    release : Release
        The verified release.
    unseen : tuple of Unseen
        Values that a tree did not name.
    policy : Policy
        The policy with these values in its trees; the release is verified against it.

    Examples
    --------
    See :func:`reapply`.
    """

    release: Release
    unseen: tuple[Unseen, ...]
    policy: Policy


def reapply(
    table: Any,
    policy: Policy,
    solution: Solution,
    limits: Limits | None = None,
    observer: Observer = silent,
    *,
    key: KeyGiven = None,
    ledger: LedgerGiven = None,
) -> Reapplied:
    """Recode a new table with the levels that an earlier solution chose.

    Values that a tree does not name go into a group of their own. Rows that no longer have enough
    lookalikes are suppressed, within what the policy allows.

    Parameters
    ----------
    table
        The new table.
    policy : Policy
        The policy of the earlier release.
    solution : Solution
        The solution of the earlier release. It must be a full-domain recoding.
    limits : Limits, optional
        When to stop computing how far this recoding is from the best one for the new table.
    observer : callable
        Receives the events of the run.
    key : bytes or path, optional
        The secret key, or the path of its file, if the policy has pseudonyms.
    ledger : Ledger or path, optional
        Where ``Release.write`` enters the release.

    Returns
    -------
    Reapplied

    Raises
    ------
    Infeasible
        If the recoding no longer meets the policy.
    NotSuited
        If the solution is not a full-domain recoding.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> spring = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> summer = pa.table({"age": [33, 35, 39, 51, 52, 59]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> earlier = la.anonymize(spring, policy).solution
    >>> sorted(set(la.reapply(summer, policy, earlier).release.table["age"].to_pylist()))
    ['[30, 40)', '[50, 60)']
    """
    check_solution(solution)
    request = Request(
        table=table, policy=policy, limits=limits, key=key, ledger=ledger, earlier=solution
    )
    pipeline = Pipeline(request, observer)
    return Reapplied(pipeline.run(), pipeline.unseen, pipeline.policy)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The findings of a verification, and what could not be checked without the original.

    Attributes
    ----------
    findings : tuple of Finding
        One for each check.
    not_checked : tuple of str
        What only the holder of the original can check, in sentences.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> table = pa.table({"age": [31, 31, 58, 58]})
    >>> la.check(table, ["age"], la.KAnonymity(2)).expect_passed().passed
    True
    """

    findings: tuple[Finding, ...]
    not_checked: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every check holds."""
        return all(finding.holds for finding in self.findings)

    def expect_passed(self) -> Verdict:
        """Return this verdict if every check holds.

        Returns
        -------
        Verdict

        Raises
        ------
        ReleaseRefused
            With every check that failed.
        """
        refuse(self.findings)
        return self


def verify(
    released: Any,
    certificate: Certificate | str | PathLike[str] | None = None,
    *,
    original: Any = None,
    policy: Policy | None = None,
    solution: Solution | None = None,
    key: KeyGiven = None,
    signed_by: SignersGiven | None = None,
) -> Verdict:
    """Verify a release with code that shares nothing with the search.

    With its certificate, everything is checked that anyone can check. With the original, the policy
    and the solution, everything is checked, including the proof of the bound.

    Parameters
    ----------
    released
        The released table, in any of the forms that lookalike reads.
    certificate : Certificate or path, optional
        By default the certificate that was written with the release. With the original, no
        certificate is checked unless it is given here.
    original, policy, solution : optional
        What the release was made from. Give all three or none.
    key : bytes or path, optional
        The secret key, or the path of its file, if the policy has pseudonyms.
    signed_by : str or path, optional
        Whose signature the certificate's file must have: an Ed25519 public key
        (``ssh-ed25519 AAAA…``), its file, or an ``allowed_signers`` file of OpenSSH. The signature
        is the file beside the certificate, with ``.sig`` added to its name (``la.sign``).

    Returns
    -------
    Verdict

    Raises
    ------
    PolicyError
        If there is nothing to verify against, or parts are missing.
    FileError
        If a file cannot be read, or ``signed_by`` is not an Ed25519 public key.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> made = la.anonymize(table, policy)
    >>> la.verify(made.table, made.certificate).passed
    True
    >>> la.verify(made.table, original=table, policy=policy, solution=made.solution).passed
    True
    """
    secret = read_key(key)
    signers = None if signed_by is None else read_signers(signed_by)
    if isinstance(released, str | PathLike) and not is_address(released):
        repair_beside(Path(released))
    table = open_table(released)
    if certificate is None and (original is None or signers is not None):
        certificate = stored_certificate(table, released)
    findings = _form_findings(table)
    unseen: tuple[str, ...] = ()
    if signers is not None and (certificate is None or isinstance(certificate, Certificate)):
        problem = "a signature belongs to the file of a certificate, and there is no such file"
        fix = "give its path (--certificate FILE); for a table of a database, that of a signed copy"
        raise PolicyError(Fault("signed-by", problem, fix))
    if certificate is not None:
        author = NOT_SIGNED
        if not isinstance(certificate, Certificate):
            certificate, signed, author = _read_signed(Path(certificate), signers)
            findings += signed
        findings += check_certificate(table, certificate)
        unseen = not_checked(certificate, author)
    if any(part is not None for part in (original, policy, solution)):
        if original is None or policy is None or solution is None:
            fix = "give all three, or only the certificate"
            raise PolicyError(Fault("verify", "original, policy and solution go together", fix))
        check_policy(policy)
        check_solution(solution)
        unseen = ()
        secret = needed_key(policy, secret)
        fresh = verify_release(open_table(original), table, policy, solution, VERSION, secret)
        findings += tuple(finding for finding in fresh.findings if finding not in findings)
        if certificate is not None:
            same = agree(certificate, fresh)
            agrees = "agrees" if same else "does not agree"
            sentence = f"The certificate {agrees} with these findings."
            findings += (Finding("certificate", same, sentence),)
    if certificate is None and original is None:
        fix = "give the path of a certificate, or original=, policy= and solution="
        raise PolicyError(Fault("verify", "there is nothing to verify against", fix))
    return Verdict(findings, unseen)


def _form_findings(table: Table) -> tuple[Finding, ...]:
    """What is wrong with the form of a text file, also if the command line has opened it."""
    if table.kind != "csv":
        return ()
    from lookalike.verifier.rows.plain_csv import check_form

    return check_form(table)


def _read_signed(
    path: Path, signers: tuple[Signer, ...] | None
) -> tuple[Certificate, tuple[Finding, ...], str]:
    """A certificate's file, the finding about its signature, and what is known of its author."""
    content = certificate_bytes(path)  # read once: what is checked is what was signed
    if signers is None:
        signature = signature_path(path)
        signed = SIGNATURE_NOT_CHECKED.format(signature.name)
        author = signed if signature.exists() else NOT_SIGNED
        return Certificate.read(content, path.name), (), author
    finding = check_signature(path, content, signers)
    try:
        return Certificate.read(content, path.name), (finding,), SIGNED
    except LookalikeError:
        refuse((finding,))  # if the signature does not fit, this is the reason
        raise


def sign(
    path: str | PathLike[str],
    key: SigningKeyGiven,
    *,
    passphrase: Passphrase = None,
    force: bool = False,
) -> Path:
    """Verify a release with its certificate, and sign the certificate's file with Ed25519.

    The certificate has the digest of the rows, so the signature covers the table. The format is
    that of ``ssh-keygen -Y sign`` with the namespace ``lookalike-certificate``.

    Parameters
    ----------
    path : str or path
        The file or folder of a release whose certificate is beside it, or the ``.json`` file of a
        certificate. With only a certificate, the table is not checked.
    key : str or path
        The file of an OpenSSH private key (Ed25519) that only its owner can read.
    passphrase : str, bytes or function, optional
        The passphrase of the key, or a function that asks for it. It is used only if the key has
        one.
    force : bool
        Replace an existing signature.

    Returns
    -------
    Path
        The signature's file: the certificate's, with ``.sig`` added to its name.

    Raises
    ------
    FileError
        If a file cannot be read or written, or the key is not an Ed25519 key of OpenSSH.
    ReleaseRefused
        If the release or the certificate fails a check. Nothing is signed then.

    Examples
    --------
    >>> import tempfile, pyarrow as pa, lookalike as la
    >>> from pathlib import Path
    >>> from lookalike.signatures.signing_key import write_signing_key
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shared, key = Path(folder) / "shared.csv", Path(folder) / "steward"
    ...     made = write_signing_key(key)  # or: ssh-keygen -t ed25519
    ...     written = la.anonymize(table, policy).write(shared)
    ...     print(la.sign(shared, key).name)
    ...     print(la.verify(shared, signed_by=f"{key}.pub").passed)
    shared.csv.certificate.json.sig
    True
    """
    check_scheme(path)
    if is_address(path):
        problem = "a certificate that is stored in a database cannot be signed, only a file"
        fix = "write a copy with --certificate FILE, or certificate.to_json(), and sign the copy"
        raise FileError(Fault("sign", problem, fix))
    given = Path(path)
    is_certificate = given.suffix.lower() == ".json"
    certificate = given if is_certificate else certificate_path(given)
    signing = read_signing_key(key, passphrase)
    content = certificate_bytes(certificate)
    checked = Certificate.read(content, certificate.name)
    if is_certificate:
        refuse(checked.findings)
    else:
        table = open_table(given)
        refuse((*_form_findings(table), *check_certificate(table, checked)))
    return write_signature(certificate, content, signing, force=force)


def stored_certificate(table: Table, released: Any) -> Certificate | Path | None:
    """The certificate beside a file, or stored with a table in a database."""
    if (noted := Certificate.in_note(note_of(table, released), table.name)) is not None:
        return noted
    if isinstance(released, str | PathLike) and table.path is not None:
        beside = certificate_path(Path(released))
        return beside if beside.exists() else None
    return None
