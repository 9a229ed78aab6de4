"""``compare``: several algorithms on one problem, judged by the best bound of all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lookalike.cost.class_size import ClassSize
from lookalike.cost.classification import Classification
from lookalike.cost.discernibility import Discernibility
from lookalike.cost.loss import Loss
from lookalike.cost.metric import Metric
from lookalike.cost.precision import Precision
from lookalike.errors import LookalikeError, PluginError
from lookalike.events import Observer, silent
from lookalike.problem.argument_checks import check_problem
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cut_space import levels_are_cuts
from lookalike.registry import METRICS
from lookalike.search.algorithm import Algorithm
from lookalike.search.auto_choice import choose, named, names_to_compare
from lookalike.search.comparison_text import as_text
from lookalike.search.limits import Limits, check_limits
from lookalike.search.option_checks import check_whole
from lookalike.search.solve import solve
from lookalike.search.suitability import why_unsuitable
from lookalike.solution.recoding import Space
from lookalike.solution.solution import Solution, Status


@dataclass(frozen=True, slots=True)
class Row:
    """One algorithm: its solution, or why it would not run."""

    algorithm: str
    solution: Solution | None = field(repr=False)  # its own gap is against its own bound
    refusal: str | None
    gap: float | None  # against the best of all bounds that hold for its space
    measures: Mapping[str, float]  # costs by every metric that is known; ``prec`` is 1 − cost
    stars: int  # released cells that show nothing

    @property
    def held(self) -> bool | None:
        """Does its recoding meet the policy? None if it has no recoding."""
        if self.solution is None or self.solution.recoding is None:
            return None
        return self.solution.status is not Status.UNMET


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Rows in the order asked for, and the bounds they are judged by, one per space."""

    metric: str
    bounds: Mapping[Space, float]
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        return as_text(self)

    __repr__ = __str__  # at a prompt, the table is most useful


def compare(
    problem: Problem,
    algorithms: Algorithm | str | Iterable[Algorithm | str],
    limits: Limits | None = None,
    observer: Observer = silent,
    seed: int = 0,
) -> Comparison:
    """Run several algorithms on one problem, and compare their results.

    A bound proved by one of them holds for all whose space is part of its space. An algorithm that
    is not suited to the problem is listed with the reason.

    Parameters
    ----------
    problem : Problem
        From ``la.prepare``.
    algorithms : Algorithm, str, or several
        Algorithms or their names; ``"all"`` for all of them.
    limits : Limits, optional
        When to stop; they hold for each algorithm.
    observer : callable
        Is called with every event of the searches.
    seed : int
        For randomized algorithms.

    Returns
    -------
    Comparison
        ``print`` shows it as a table.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> comparison = la.compare(la.prepare(table, policy), [la.Datafly(), la.Flash()])
    >>> [row.algorithm for row in comparison.rows]
    ['datafly', 'flash']
    """
    check_problem(problem)
    check_limits(limits)
    check_whole("seed", seed)
    results: list[tuple[str, Solution | None, str | None]] = []
    for name, algorithm in _asked(problem, algorithms):
        solution, refusal = None, _refusal(algorithm, problem, limits)
        if refusal is None and isinstance(algorithm, Algorithm):
            try:
                solution = solve(problem, algorithm, limits, observer, seed)
            except LookalikeError as error:  # the others go on
                refusal = _in_one_line(error)
        results.append((name, solution, refusal))
    solutions = [solution for _, solution, _ in results if solution is not None]
    bounds = {
        space: max(s.bound for s in solutions if _holds_for(space, s.space, problem))
        for space in Space
        if any(s.space is space for s in solutions)
    }
    yardsticks = [
        Problem(replace(problem.policy, metric=metric), problem.counts, problem.tables)
        for metric in _metrics(problem)
    ]
    rows = tuple(_row(problem, *result, bounds, yardsticks) for result in results)
    return Comparison(problem.policy.metric.name, bounds, rows)


def _asked(
    problem: Problem, given: Algorithm | str | Iterable[Algorithm | str]
) -> list[tuple[str, Algorithm | PluginError]]:
    """Each by the name it was asked for; all are checked before the first one runs."""
    asked = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    if "all" not in asked:
        algorithms = [named(by) or choose(problem)[0] for by in asked]
        return [
            (by if isinstance(by, str) and by != "auto" else algorithm.name, algorithm)
            for by, algorithm in zip(asked, algorithms, strict=True)
        ]
    every: list[tuple[str, Algorithm | PluginError]] = []
    for name in names_to_compare():
        try:
            every.append((name, named(name) or choose(problem)[0]))
        except PluginError as error:  # a faulty package does not keep the others from running
            every.append((name, error))
    return every


def _refusal(
    algorithm: Algorithm | PluginError, problem: Problem, limits: Limits | None
) -> str | None:
    """Why it is not run; among others, none is started that would not end in reasonable time."""
    if isinstance(algorithm, PluginError):
        return _in_one_line(algorithm)
    refusal = why_unsuitable(algorithm, problem)
    if refusal is None and (limits is None or limits.seconds is None):
        return algorithm.endless(problem)
    return refusal


def _in_one_line(error: LookalikeError) -> str:
    return "; ".join(f"{fault.where}: {fault.problem}; {fault.fix}" for fault in error.faults)


def _holds_for(space: Space, proved: Space, problem: Problem) -> bool:
    """Does a bound proved over one space hold for every recoding of another?

    Where every level is made of intervals, the cuts of a node cost no more than the node.
    """
    if space is Space.FULL_DOMAIN and proved is Space.CUTS:
        return levels_are_cuts(problem)
    return space.within(proved)


def _metrics(problem: Problem) -> list[Metric]:
    """Those that need nothing beyond the counts."""
    metrics: list[Metric] = [Precision(), Loss()]
    if problem.one_set:
        metrics += [Discernibility(), ClassSize()]
        metrics += [Classification(column) for column in problem.counts.sensitive]
    return metrics + [
        kind()
        for name, kind in METRICS.usable().items()
        if METRICS.package(name)
        and not kind.parameter
        and (problem.one_set or not kind.needs_one_set)
    ]


def _row(
    problem: Problem,
    name: str,
    solution: Solution | None,
    refusal: str | None,
    bounds: Mapping[Space, float],
    yardsticks: Sequence[Problem],
) -> Row:
    if solution is None or solution.recoding is None:
        return Row(name, solution, refusal, None, {}, 0)
    costs = {p.policy.metric.name: p.evaluate(solution.recoding).cost for p in yardsticks}
    lost = costs.pop("precision")
    measures = {"prec": 1 - lost, "precision_loss": lost, **costs}
    finite = {name: value for name, value in measures.items() if math.isfinite(value)}
    gap, stars = _gap(solution, bounds[solution.space]), problem.apply(solution.recoding).stars()
    return Row(name, solution, refusal, gap, finite, stars)


def _gap(solution: Solution, bound: float) -> float | None:
    if solution.cost is None or solution.status is Status.UNMET:
        return None
    if solution.cost <= bound or solution.cost == 0:
        return 0.0
    return min(1.0, (solution.cost - bound) / abs(solution.cost))
