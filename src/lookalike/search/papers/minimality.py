"""k-minimal generalizations and distortions, as questions about a recoding.

Sweeney 2002, definitions 4 and 6. Of full-domain levels they are asked at attribute level: among
full-domain recodings. Of a cell map they are asked at cell level, among all tables whose cells keep
to the policy's levels, whatever its model says of whole columns. Definition 6 read literally asks
for a unique optimum; as MinGen does, we ask that nothing be less distorted.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from lookalike.cost.precision import Precision
from lookalike.errors import Fault, NotProven, NotSuited, PolicyError
from lookalike.problem.argument_checks import check_problem, wrong
from lookalike.problem.problem import Problem
from lookalike.search.lattice.flash import Flash
from lookalike.search.papers.label_paths import WORK, GaveUp, Work, within_bounds
from lookalike.search.papers.precision_search import cell_prices, least_distorted, price_of
from lookalike.search.papers.refinement_search import finer_table, quickly_finer
from lookalike.search.solve import solve
from lookalike.solution.recoding import CellMap, Levels, Recoding, Space
from lookalike.solution.solution import ROUNDING


@dataclass(frozen=True, slots=True)
class Minimality:
    """The answer; if it is no, ``witness`` is why, unless the recoding itself breaks the policy."""

    holds: bool
    witness: Recoding | None
    sentence: str

    def __bool__(self) -> bool:
        return self.holds


UNMET = Minimality(False, None, "The recoding does not meet the policy.")


def k_minimal_generalizations(problem: Problem) -> tuple[Levels, ...]:
    """All of them, lowest first. Looks at every node that is not above one already found."""
    check_problem(problem)
    ranges = (range(low, high + 1) for low, high in zip(problem.low, problem.high, strict=True))
    nodes = sorted(itertools.product(*ranges), key=lambda node: (sum(node), node))
    evaluate = problem.node_evaluator()
    found: list[tuple[int, ...]] = []
    for node in nodes:
        if not any(_finer(other, node) for other in found) and evaluate(node).meets:
            found.append(node)
    return tuple(Levels(problem.names, node) for node in found)


def is_k_minimal(problem: Problem, recoding: Levels | CellMap, *, work: int = WORK) -> Minimality:
    """Is it a k-minimal generalization: does it meet the policy, and nothing finer does?

    For a cell map: is no table finer, row by row, with the same rows suppressed? That is decided
    exactly; ``NotProven`` is raised if ``work`` steps do not settle it.
    """
    _check_given(problem, recoding)
    return KINDS[recoding.space].is_minimal(problem, recoding, work)


def is_k_minimal_distortion(
    problem: Problem, recoding: Levels | CellMap, *, work: int = WORK
) -> Minimality:
    """Does it meet the policy with a (weighted) precision that no recoding exceeds?

    For levels: no full-domain recoding. For a cell map: no table at cell level that suppresses no
    more rows than the policy allows. A cell counts at the level given, so a label that is on two
    levels costs more on the higher one. ``NotProven`` as for ``is_k_minimal``.
    """
    _check_given(problem, recoding)
    policy = replace(problem.policy, metric=Precision())
    by_precision = Problem(policy, problem.counts, problem.tables, people=problem.people)
    return KINDS[recoding.space].is_least_distorted(by_precision, recoding, work)


def _no_finer_node(problem: Problem, recoding: Levels, work: int) -> Minimality:
    _check_levels(problem, recoding)
    if not problem.evaluate(recoding).meets:
        return UNMET
    for node in _below(problem, recoding.levels):
        if problem.evaluate_node(node).meets:
            witness = Levels(problem.names, node)
            return Minimality(False, witness, f"{witness} is finer and meets the policy too.")
    return Minimality(True, None, "It meets the policy, and no finer recoding does.")


def _no_node_more_precise(problem: Problem, recoding: Levels, work: int) -> Minimality:
    """``problem`` has precision for its metric."""
    _check_levels(problem, recoding)
    evaluation = problem.evaluate(recoding)
    if not evaluation.meets:
        return UNMET
    precision = 1 - evaluation.cost
    best = solve(problem, Flash())
    if best.cost is not None and best.cost < evaluation.cost - ROUNDING:
        sentence = f"{best.recoding} has precision {1 - best.cost:.4f}, this has {precision:.4f}."
        return Minimality(False, best.recoding, sentence)
    return Minimality(True, None, f"No recoding has a precision above {precision:.4f}.")


def _no_finer_table(problem: Problem, recoding: CellMap, work: int) -> Minimality:
    if not _meets(problem, recoding):
        return UNMET
    try:
        witness = finer_table(problem, recoding, Work(work))
    except GaveUp as why:
        raise _undecided(problem, "a finer table", work, why) from None
    if witness is None:
        return Minimality(True, None, "It meets the policy, and no table finer in any cell does.")
    told = f"A table of {len(witness.group):,} pieces is finer and meets the policy too."
    return Minimality(False, witness, told)


def _no_table_more_precise(problem: Problem, recoding: CellMap, work: int) -> Minimality:
    """``problem`` has precision for its metric."""
    if not _meets(problem, recoding):
        return UNMET
    try:
        witness = least_distorted(problem, recoding, Work(work))
    except GaveUp as why:
        witness = quickly_finer(problem, recoding)
        prices = cell_prices(problem)
        if witness is None or price_of(prices, witness) >= price_of(prices, recoding):
            raise _undecided(problem, "a more precise table", work, why) from None
    precision = 1 - problem.evaluate(recoding).cost
    if witness is None:
        return Minimality(True, None, f"No table has a precision above {precision:.4f}.")
    higher = 1 - problem.evaluate(witness).cost
    digits = 4 if f"{higher:.4f}" != f"{precision:.4f}" else 9
    told = f"precision {higher:.{digits}f}, this has {precision:.{digits}f}."
    return Minimality(False, witness, f"A table at cell level has {told}")


def _meets(problem: Problem, recoding: CellMap) -> bool:
    return within_bounds(problem, recoding) and problem.evaluate(recoding).meets


def _undecided(problem: Problem, what: str, work: int, why: GaveUp) -> NotProven:
    tried = f"lowering classes a step and moving rows to finer classes did not give {what}"
    reason, fix = str(why), "ask about a smaller table, or under a simpler policy"
    if not reason:
        reason = f"{problem.rows:,} rows are too many to decide in {work:,} steps"
        fix = "allow more work, as work=100_000_000, or ask about a smaller table"
    return NotProven(Fault("recoding", f"{tried}, and whether there is one is open: {reason}", fix))


def _check_given(problem: Problem, recoding: object) -> None:
    """A problem and a recoding, not the solution around it nor bare levels."""
    check_problem(problem)
    if not isinstance(recoding, Levels | CellMap):
        fix = "give solution.recoding, or la.Levels(problem.names, (0, 1, …)), one level per column"
        raise wrong("recoding", recoding, "Levels or CellMap", fix)
    if not problem.holds_all_tuples:
        why = "the table has too many distinct tuples for memory, and all of them are needed"
        raise NotSuited(Fault("problem", why, "ask about a smaller table"))
    if recoding.node is None and not problem.policy.by_size:
        why = "for cell maps it is known only if nothing but the size of classes is required"
        raise NotSuited(Fault("recoding", why, "ask about full-domain levels"))


def _check_levels(problem: Problem, recoding: Levels) -> None:
    """Levels that no hierarchy has must not reach the kernels."""
    fits = recoding.names == problem.names and all(
        level <= table.height for level, table in zip(recoding.levels, problem.tables, strict=True)
    )
    if not fits:
        problem_said = "these are not levels of this problem's columns, in their order"
        fix = f"give levels for {', '.join(problem.names)}, within their hierarchies"
        raise PolicyError(Fault("recoding", problem_said, fix))


@dataclass(frozen=True, slots=True)
class _Kind:
    """How the two questions are decided for one kind of recoding."""

    is_minimal: Callable[[Problem, Any, int], Minimality]
    is_least_distorted: Callable[[Problem, Any, int], Minimality]


KINDS = {
    Space.FULL_DOMAIN: _Kind(_no_finer_node, _no_node_more_precise),
    Space.CELL_LEVEL: _Kind(_no_finer_table, _no_table_more_precise),
}


def _below(problem: Problem, node: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every finer node, nearest first: with starred rows, meeting the policy is not monotone."""
    ranges = (range(level, low - 1, -1) for level, low in zip(node, problem.low, strict=True))
    finer = sorted(itertools.product(*ranges), key=lambda other: -sum(other))
    return iter(finer[1:])


def _finer(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))
