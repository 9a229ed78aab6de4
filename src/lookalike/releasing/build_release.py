"""``release``: edit the original as the solution says, verify, and hand over or refuse."""

from __future__ import annotations

from dataclasses import replace

from lookalike.errors import Fault, Infeasible, NotProven
from lookalike.problem.problem import Problem
from lookalike.pseudonyms.secret_key import Key, needed_key
from lookalike.releasing.pseudonymize import pseudonymised
from lookalike.releasing.release import Release
from lookalike.solution.recoding import Recoding
from lookalike.solution.solution import Solution, Status
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import refuse
from lookalike.verifier.finding import Finding
from lookalike.verifier.pseudonyms.people import is_about_people
from lookalike.verifier.verify import verify_release
from lookalike.version import VERSION


def make_release(
    table: Table, problem: Problem, solution: Solution, key: Key | None = None
) -> Release:
    """A verified release, or ReleaseRefused."""
    key = needed_key(problem.policy, key)
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
    eligible = table.eligible_rows(problem.policy.eligible)
    called = pseudonymised(eligible, problem.policy, key)
    released = called.edit(problem.apply(solution.recoding).edit(table.columns))
    certificate = verify_release(table, released, problem.policy, solution, VERSION, key)
    refuse(tuple(_not_written(finding, solution) for finding in certificate.findings))
    return Release(table, released, problem.policy, solution, certificate, problem)


def _not_written(finding: Finding, solution: Solution) -> Finding:
    """Rows that stand out are rows of a table that nobody has; and a system that does not keep k
    will not keep it when it is run again.
    """
    if finding.holds or finding.check != "k-anonymity" or is_about_people(finding):
        return finding
    sentence = f"{finding.sentence} The rows are those of the release, which was not written, not "
    fix = finding.fix
    if solution.status is Status.UNMET:
        fix = (
            "look at it with la.examine, or choose an algorithm that keeps k, as --by auto; "
            "compare shows which do"
        )
    return replace(finding, sentence=f"{sentence}those of the table.", fix=fix)


def check_fits(problem: Problem, recoding: Recoding) -> None:
    """ReleaseRefused if it is a recoding of another table: a solution may come from a file."""
    fits = problem.apply(recoding).fits()
    refuse((Finding("solution", fits, "The solution has no recoding for this policy and table."),))


def infeasible_fault(problem: Problem) -> Fault:
    """Why nothing meets the policy, and what would help."""
    top = problem.evaluate_node(problem.high)
    rows = f"{top.suppressed:,} of {problem.rows:,} rows"
    enough = top.suppressed < problem.rows  # all rows cannot be suppressed
    if problem.policy.model is not None and problem.policy.model.name == "TS":
        return _nothing_generalized(problem, rows, top.suppressed if enough else None)
    if top.suppressed > problem.allowance:
        more = f"or set suppress to {top.suppressed} or more, " if enough else ""
        return Fault(
            "policy",
            f"even the coarsest recoding allowed suppresses {rows}; the policy allows "
            f"{problem.allowance:,}",
            f"allow coarser levels, {more}or {_less(problem)}",
        )
    whole = [rule.name for rule in problem.policy.require if rule.table_wide]
    if whole:
        return Fault(
            "policy",
            f"no recoding allowed keeps what is asked of the release as a whole ({whole[0]})",
            "allow coarser levels, or require less",
        )
    return Fault(
        "policy",
        "every recoding allowed suppresses all rows, or too few to hide among themselves",
        f'allow coarser levels, {_less(problem)}, or set suppressed = "drop" under conventions',
    )


def _less(problem: Problem) -> str:
    return "lower k" if problem.policy.by_size else "require less"


def _nothing_generalized(problem: Problem, rows: str, enough: int | None) -> Fault:
    """Model TS: rows may go, but no value gets coarser. ``enough`` is how many would have to go."""
    alone = f"model TS generalizes nothing, and {rows} have too few lookalikes as they are"
    fix = "use a model that generalizes, as AG_TS, or lower k"
    if enough is None:
        return Fault("policy", f"{alone}: all of them cannot be suppressed", fix)
    if enough > problem.allowance:
        problem_said = f"{alone}; the policy allows to suppress {problem.allowance:,}"
        return Fault("policy", problem_said, f"set suppress to {enough} or more, {fix}")
    problem_said = f"{alone}: starred, these are too few to hide among themselves"
    return Fault("policy", problem_said, f'set suppressed = "drop" under conventions, {fix}')
