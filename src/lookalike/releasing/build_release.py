"""Build a release: recode the original by a solution, verify the result, return or refuse it."""

from __future__ import annotations

import math
from dataclasses import replace

from lookalike.errors import Fault, Infeasible, NotProven, PolicyError
from lookalike.problem.prepare import NO_SAMPLE, is_sample
from lookalike.problem.problem import Problem
from lookalike.pseudonyms.secret_key import Key, needed_key
from lookalike.releasing.release import Release
from lookalike.solution.recoding import Recoding
from lookalike.solution.solution import Solution, Status
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import Certificate, refuse
from lookalike.verifier.finding import Finding
from lookalike.verifier.verify import verify_release
from lookalike.version import VERSION


def make_release(
    table: Table, problem: Problem, solution: Solution, key: Key | None = None
) -> Release:
    """A verified release, or ReleaseRefused."""
    key = needed_key(problem.policy, key)
    if solution.status is Status.INFEASIBLE:
        raise Infeasible(infeasible_fault(problem))
    released, certificate = recode_and_verify(table, problem, solution, key)
    refuse(tuple(_unwritten(finding, solution) for finding in certificate.findings))
    return Release(table, released, problem.policy, solution, certificate, problem)


def recode_and_verify(
    table: Table, problem: Problem, solution: Solution, key: Key | None
) -> tuple[Table, Certificate]:
    """The recoded table and its certificate, which may have findings that do not hold."""
    if solution.recoding is None:
        problem_found = f"no recoding was found ({solution.status}; stopped: {solution.stop})"
        raise NotProven(Fault("solution", problem_found, "give the search more time"))
    if problem.policy.needs_sample and not is_sample(table):
        raise PolicyError(NO_SAMPLE)
    check_fits(problem, solution.recoding)
    eligible = table.eligible_rows(problem.policy.eligible)
    edit = problem.apply(solution.recoding).edit(table.columns)
    if problem.policy.pseudonyms:
        from lookalike.releasing.pseudonymize import pseudonymized

        eligible = pseudonymized(eligible, problem.policy, key)
    recoded = eligible.edit(edit)
    return recoded, verify_release(table, recoded, problem.policy, solution, VERSION, key)


def _unwritten(finding: Finding, solution: Solution) -> Finding:
    """The finding, with a note that its row numbers are about the refused release."""
    if finding.holds or finding.check != "k-anonymity":
        return finding
    from lookalike.verifier.pseudonyms.people_per_class import is_people_finding

    if is_people_finding(finding):
        return finding
    note = "Row numbers refer to the release, which was not written, not to the table."
    fix = finding.fix
    if solution.status is Status.UNMET:  # the same algorithm would not keep k the next time either
        fix = (
            "look at it with la.examine, or choose an algorithm that keeps k, for example "
            "--by auto; compare shows which do"
        )
    return replace(finding, sentence=f"{finding.sentence} {note}", fix=fix)


def check_fits(problem: Problem, recoding: Recoding) -> None:
    """PolicyError if it is a recoding of another table, or of other columns or hierarchies."""
    if not problem.apply(recoding).fits():
        raise PolicyError(_made_for_another("it is not a recoding of this table by this policy"))


def check_made_for(problem: Problem, solution: Solution) -> None:
    """PolicyError if a solution from a file was made for another table or policy.

    A solution whose numbers follow from the table and the policy can still be wrong: what it claims
    is checked when the release is verified.
    """
    if solution.recoding is None:
        return
    check_fits(problem, solution.recoding)
    evaluation = problem.evaluate(solution.recoding)
    differences = [
        f"{name}: {theirs} in the solution, {ours} here"
        for name, theirs, ours in (
            ("metric", solution.metric, problem.policy.metric.name),
            ("rows", solution.rows, problem.rows),
            ("suppressed rows", solution.suppressed, evaluation.suppressed),
            ("classes", solution.classes, evaluation.classes),
        )
        if theirs != ours
    ]
    if not differences and not math.isclose(solution.cost or 0.0, evaluation.cost, rel_tol=1e-9):
        differences = [f"cost: {solution.cost:g} in the solution, {evaluation.cost:g} here"]
    if differences:
        problem_found = "it was made for another policy or table, or it was altered"
        raise PolicyError(_made_for_another(f"{problem_found} ({'; '.join(differences)})"))


def _made_for_another(problem: str) -> Fault:
    fix = "give the table and the policy that it was made for, or search again with these"
    return Fault("solution", problem, fix)


def infeasible_fault(problem: Problem) -> Fault:
    """Why nothing meets the policy, and what would help."""
    top = problem.evaluate_node(problem.high)
    rows = f"{top.suppressed:,} of {problem.rows:,} rows"
    enough = top.suppressed < problem.rows  # all rows cannot be suppressed
    if problem.policy.model is not None and problem.policy.model.name == "TS":
        return _nothing_generalized(problem, rows, top.suppressed if enough else None)
    less = "lower k" if problem.policy.by_size else "require less"
    whole = next((rule.name for rule in problem.policy.require if rule.table_wide), "")
    if top.suppressed > problem.allowance:
        more = f"or set suppress to {top.suppressed} or more, " if enough else ""
        found = (
            f"even the least precise recoding that is allowed suppresses {rows}; the policy allows "
            f"{problem.allowance:,}"
        )
        fix = f"allow higher levels, {more}or {less}"
    elif whole:
        found = f"no recoding that is allowed meets the requirement on the whole release ({whole})"
        fix = "allow higher levels, or require less"
    else:
        found = "every recoding that is allowed suppresses all rows, or fewer than k rows"
        fix = f'allow higher levels, {less}, or set suppressed = "drop" under conventions'
    return Fault("policy", found, fix)


def _nothing_generalized(problem: Problem, rows: str, enough: int | None) -> Fault:
    """For model TS. ``enough`` rows would have to be suppressed; None if that is all rows."""
    alone = f"model TS does not generalize, and {rows} have fewer than k − 1 lookalikes"
    fix = "use a model that generalizes, for example AG_TS, or lower k"
    if enough is None:
        return Fault("policy", f"{alone}; they cannot all be suppressed", fix)
    if enough > problem.allowance:
        too_many = f"{alone}; the policy allows suppressing {problem.allowance:,}"
        return Fault("policy", too_many, f"set suppress to {enough} or more, {fix}")
    too_few = f"{alone}; when starred, they are fewer than k"
    return Fault("policy", too_few, f'set suppressed = "drop" under conventions, {fix}')
