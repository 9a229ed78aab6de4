"""Is an algorithm suited to a problem? First what holds for all of them, then its own refusal."""

from __future__ import annotations

from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.solution.recoding import Space


def why_unsuitable(algorithm: Algorithm, problem: Problem) -> str | None:
    """Why it cannot honestly run on this problem, in a sentence; None if it can."""
    return (
        _not_in_memory(algorithm, problem)
        or _other_model(algorithm, problem)
        or _by_size_alone(algorithm, problem)
        or (_no_cells(algorithm, problem) if algorithm.space is Space.CELL_LEVEL else None)
        or algorithm.why_unsuitable(problem)
    )


def suggested_fix(refusal: str) -> str:
    """The fix that goes with a refusal, which may name a better one itself."""
    auto = "leave the choice to lookalike (auto)"
    names_one = any(words in refusal for words in (" use ", " instead", ": put ", ": name "))
    return f"do as it says, or {auto}" if names_one else auto


def _not_in_memory(algorithm: Algorithm, problem: Problem) -> str | None:
    if algorithm.out_of_core or problem.holds_all_tuples:
        return None
    return (
        "the table has too many distinct tuples for memory, and it needs all of them; "
        "use flash, which counts on the engine"
    )


def _other_model(algorithm: Algorithm, problem: Problem) -> str | None:
    model = problem.policy.model
    if model is None or model.name in algorithm.models:
        return None
    known = ", ".join(sorted(algorithm.models)) or "none of the nine"
    return f"the policy asks for model {model.name}, and {algorithm.name} follows {known}"


def _by_size_alone(algorithm: Algorithm, problem: Problem) -> str | None:
    """Does it form classes by size alone, although the policy requires more?

    A full-domain search checks every node against all requirements.
    """
    if algorithm.space is Space.FULL_DOMAIN:
        return None
    if algorithm.any_requirement:
        if problem.people is None:
            return None
        return "matching people of the population are counted only for whole columns; use flash"
    more = [rule.name for rule in problem.policy.require if not rule.by_size]
    if not more:
        return None
    return (
        f"it forms classes only by their size, and the policy requires {more[0]}; use "
        "flash, mingen, datafly, mondrian or top-down"
    )


def _no_cells(algorithm: Algorithm, problem: Problem) -> str | None:
    """What a cell-level algorithm cannot work with."""
    if not problem.one_set and not algorithm.several_sets:
        return (
            "it takes one set of all columns for linking, and the policy has several sets or "
            "leaves out a column: put every column in one set, or use flash, samarati or datafly"
        )
    metric = problem.policy.metric
    if not metric.for_cells:
        return f"{metric.name} is defined for whole columns, not for cells"
    return None
