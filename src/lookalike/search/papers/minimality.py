"""Tests whether a recoding is a k-minimal generalization or a k-minimal distortion.

Sweeney 2002, definitions 4 and 6. Full-domain levels are compared with full-domain recodings. A
cell map is compared with all tables whose cells are within the policy's levels, whatever its model
says about whole columns. Definition 6, read literally, requires a unique optimum; here, as in
MinGen, it is enough that nothing is less distorted.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from operator import le
from typing import Any

from lookalike.cost.precision import Precision
from lookalike.errors import Fault, NotProven, NotSuited, PolicyError
from lookalike.problem.argument_checks import check_problem, wrong
from lookalike.problem.problem import Problem
from lookalike.search.lattice.flash import Flash
from lookalike.search.papers.label_paths import MAX_STEPS, StepBudget, Undecided, within_bounds
from lookalike.search.papers.precision_search import cell_prices, more_precise_table, price_of
from lookalike.search.papers.refinement_search import finer_table, finer_table_nearby
from lookalike.search.solve import solve
from lookalike.solution.recoding import CellMap, Levels, Recoding, Space
from lookalike.solution.solution import ROUNDING


@dataclass(frozen=True, slots=True)
class Minimality:
    """Whether a recoding is minimal, and why. Its truth value is ``holds``.

    Attributes
    ----------
    holds : bool
        The answer.
    witness : recoding or None
        A better recoding, if the answer is no and the recoding itself meets the policy.
    sentence : str
        The answer in words.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> problem = la.prepare(table, policy)
    >>> la.is_k_minimal(problem, la.Levels(("age",), (2,))).witness.levels
    (1,)
    """

    holds: bool
    witness: Recoding | None
    sentence: str

    def __bool__(self) -> bool:
        return self.holds


UNMET = Minimality(False, None, "The recoding does not meet the policy.")


def k_minimal_generalizations(problem: Problem) -> tuple[Levels, ...]:
    """All k-minimal generalizations: they meet the policy, and no finer recoding does.

    It counts every node that is not coarser than one already found.

    Parameters
    ----------
    problem : Problem
        From ``la.prepare``.

    Returns
    -------
    tuple of Levels
        Lowest first.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> [levels.levels for levels in la.k_minimal_generalizations(la.prepare(table, policy))]
    [(1,)]
    """
    check_problem(problem)
    ranges = (range(low, high + 1) for low, high in zip(problem.low, problem.high, strict=True))
    nodes = sorted(itertools.product(*ranges), key=lambda node: (sum(node), node))
    evaluate = problem.node_evaluator()
    minimal: list[tuple[int, ...]] = []
    for node in nodes:
        if not any(all(map(le, other, node)) for other in minimal) and evaluate(node).meets:
            minimal.append(node)
    return tuple(Levels(problem.names, node) for node in minimal)


def is_k_minimal(
    problem: Problem, recoding: Levels | CellMap, *, work: int = MAX_STEPS
) -> Minimality:
    """Is a recoding a k-minimal generalization: it meets the policy, and nothing finer does?

    For a cell map: there is no table with the same rows suppressed that is finer, row by row.

    Parameters
    ----------
    problem : Problem
        From ``la.prepare``.
    recoding : Levels or CellMap
        For example ``solution.recoding``.
    work : int
        Steps that may be taken to decide it for a cell map.

    Returns
    -------
    Minimality
        The answer, with a finer recoding if it is no.

    Raises
    ------
    NotProven
        If it cannot be decided in ``work`` steps.
    NotSuited, PolicyError
        If the question is not defined for this problem and recoding.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> problem = la.prepare(table, policy)
    >>> la.is_k_minimal(problem, la.solve(problem).recoding).sentence
    'It meets the policy, and no finer recoding does.'
    """
    _check_given(problem, recoding)
    return KINDS[recoding.space].is_minimal(problem, recoding, work)


def is_k_minimal_distortion(
    problem: Problem, recoding: Levels | CellMap, *, work: int = MAX_STEPS
) -> Minimality:
    """Is a recoding a k-minimal distortion: it meets the policy, and none has a higher precision?

    Levels are compared with all full-domain recodings, a cell map with all cell-level recodings
    that suppress at most as many rows as the policy allows. A cell counts at the level given, so a
    label that is on two levels costs more on the higher one.

    Parameters
    ----------
    problem : Problem
        From ``la.prepare``.
    recoding : Levels or CellMap
        For example ``solution.recoding``.
    work : int
        Steps that may be taken to decide it for a cell map.

    Returns
    -------
    Minimality
        The answer, with a more precise recoding if it is no.

    Raises
    ------
    NotProven
        If it cannot be decided in ``work`` steps.
    NotSuited, PolicyError
        If the question is not defined for this problem and recoding.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> bool(la.is_k_minimal_distortion(la.prepare(table, policy), la.Levels(("age",), (1,))))
    True
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
            return Minimality(False, witness, f"{witness} is finer and also meets the policy.")
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
        witness = finer_table(problem, recoding, StepBudget(work))
    except Undecided as why:
        raise _undecided(problem, "a finer table", work, why) from None
    if witness is None:
        return Minimality(True, None, "It meets the policy, and no finer table does.")
    sentence = f"A table of {len(witness.group):,} pieces is finer and also meets the policy."
    return Minimality(False, witness, sentence)


def _no_table_more_precise(problem: Problem, recoding: CellMap, work: int) -> Minimality:
    """``problem`` has precision for its metric."""
    if not _meets(problem, recoding):
        return UNMET
    try:
        witness = more_precise_table(problem, recoding, StepBudget(work))
    except Undecided as why:
        witness = finer_table_nearby(problem, recoding)
        prices = cell_prices(problem)
        if witness is None or price_of(prices, witness) >= price_of(prices, recoding):
            raise _undecided(problem, "a more precise table", work, why) from None
    precision = 1 - problem.evaluate(recoding).cost
    if witness is None:
        return Minimality(True, None, f"No table has a precision above {precision:.4f}.")
    higher = 1 - problem.evaluate(witness).cost
    digits = 4 if f"{higher:.4f}" != f"{precision:.4f}" else 9
    precisions = f"precision {higher:.{digits}f}, this has {precision:.{digits}f}."
    return Minimality(False, witness, f"A cell-level table has {precisions}")


def _meets(problem: Problem, recoding: CellMap) -> bool:
    return within_bounds(problem, recoding) and problem.evaluate(recoding).meets


def _undecided(problem: Problem, what: str, work: int, why: Undecided) -> NotProven:
    reason, fix = str(why), "use a smaller table, or a simpler policy"
    if not reason:
        reason = f"{problem.rows:,} rows are too many to decide in {work:,} steps"
        fix = "allow more work, for example work=100_000_000, or use a smaller table"
    sentence = f"single steps did not lead to {what}; it is unknown whether there is one"
    return NotProven(Fault("recoding", f"{sentence}: {reason}", fix))


def _check_given(problem: Problem, recoding: object) -> None:
    """Check that these are a problem and a recoding, and not a solution or plain levels."""
    check_problem(problem)
    if not isinstance(recoding, Levels | CellMap):
        fix = "give solution.recoding, or la.Levels(problem.names, (0, 1, …)), one level per column"
        raise wrong("recoding", recoding, "Levels or CellMap", fix)
    if not problem.holds_all_tuples:
        reason = "all distinct tuples are needed, and the table has too many for memory"
        raise NotSuited(Fault("problem", reason, "use a smaller table"))
    if recoding.node is None and not problem.policy.by_size:
        reason = "cell maps can be tested only if all requirements are on the size of classes"
        raise NotSuited(Fault("recoding", reason, "test full-domain levels"))


def _check_levels(problem: Problem, recoding: Levels) -> None:
    """Raise if the levels are not of these hierarchies: kernels do not check."""
    fits = recoding.names == problem.names and all(
        level <= table.height for level, table in zip(recoding.levels, problem.tables, strict=True)
    )
    if not fits:
        reason = "these are not levels of this problem's columns, in their order"
        fix = f"give levels for {', '.join(problem.names)}, within their hierarchies"
        raise PolicyError(Fault("recoding", reason, fix))


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
    """Every finer node, the nearest first. (With starred rows the policy is not monotone.)"""
    ranges = (range(level, low - 1, -1) for level, low in zip(node, problem.low, strict=True))
    finer = sorted(itertools.product(*ranges), key=lambda other: -sum(other))
    return iter(finer[1:])
