"""Is an algorithm suited to a problem? The policy's model and sets first, then its own refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.problem.out_of_core import OutOfCoreProblem
from lookalike.problem.problem import Problem
from lookalike.solution.recoding import Space

if TYPE_CHECKING:
    from lookalike.search.algorithm import Algorithm

BY_COLUMN = frozenset({"AG_TS", "AG_AS", "AG_", "TS", "AS"})  # models of full-domain recoding


def why_unsuitable(algorithm: Algorithm, problem: Problem) -> str | None:
    """Why it cannot honestly run on this problem, in a sentence; None if it can."""
    if isinstance(problem, OutOfCoreProblem) and algorithm.name not in ("flash", "as-before"):
        return (
            "the table has too many distinct tuples to be held in memory, and it wants them all; "
            "use flash, which counts on the engine"
        )
    model = problem.policy.model
    if model is not None and model.name not in algorithm.models:
        known = ", ".join(sorted(algorithm.models)) or "none of the nine"
        return f"the policy asks for model {model.name}, and {algorithm.name} follows {known}"
    if (why_not := _by_size_alone(algorithm, problem)) is not None:
        return why_not
    if algorithm.space is Space.CELL_LEVEL:
        several = bool(getattr(algorithm, "several_sets", False))
        return _no_cells(problem, several) or algorithm.why_unsuitable(problem)
    return algorithm.why_unsuitable(problem)


def _by_size_alone(algorithm: Algorithm, problem: Problem) -> str | None:
    """Does it make classes by their size alone, where more is asked of them?

    Whatever walks the lattice has every node judged by all rules.
    """
    if algorithm.space is Space.FULL_DOMAIN or getattr(algorithm, "any_rule", False):
        if problem.people is not None and algorithm.space is not Space.FULL_DOMAIN:
            return "who looks like a person of the population is known for whole columns; use flash"
        return None
    more = [rule.name for rule in problem.policy.require if not rule.by_size]
    if not more:
        return None
    return (
        f"it puts rows together by their number alone, and the policy asks for {more[0]}; use "
        "flash, mingen, datafly, mondrian or top-down"
    )


def way_out(refusal: str) -> str:
    """The fix that goes with a refusal, which may name a better one itself."""
    auto = "leave the choice to lookalike (auto)"
    says = any(words in refusal for words in (" use ", " instead", ": put ", ": name "))
    return f"do as it says, or {auto}" if says else auto


def _no_cells(problem: Problem, several: bool) -> str | None:
    """What a cell-level algorithm cannot work with, unless it says that it takes several sets."""
    if not problem.one_set and not several:
        return (
            "it recodes cells for one quasi-identifier, and the policy links by several or leaves "
            "a column out: put every column in one set, or use flash, samarati or datafly"
        )
    if problem.policy.metric.name == "height":
        return "height counts the steps of whole columns, and cells take steps of their own"
    return None
