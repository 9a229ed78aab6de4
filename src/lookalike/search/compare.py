"""``compare``: several algorithms on one problem, judged by the best bound any of them had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lookalike.cost.class_size import ClassSize
from lookalike.cost.classification import Classification
from lookalike.cost.discernibility import Discernibility
from lookalike.cost.loss import Loss
from lookalike.cost.metric import Metric
from lookalike.cost.precision import Precision
from lookalike.events import Observer, silent
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.choose import choose, named
from lookalike.search.limits import Limits
from lookalike.search.solve import solve
from lookalike.search.suited import unsuited
from lookalike.solution.solution import Solution


@dataclass(frozen=True, slots=True)
class Row:
    """One algorithm: its solution, or why it would not run."""

    algorithm: str
    solution: Solution | None
    refusal: str | None
    gap: float | None  # against the best bound of all
    measures: Mapping[str, float]  # the recoding by every metric that can be told


@dataclass(frozen=True, slots=True)
class Comparison:
    """Rows in the order asked for, and the bound they are judged by."""

    metric: str
    bound: float
    rows: tuple[Row, ...]


def compare(
    problem: Problem,
    algorithms: Sequence[Algorithm | str],
    limits: Limits | None = None,
    observer: Observer = silent,
    seed: int = 0,
) -> Comparison:
    """Run each algorithm that is suited; the limits hold for each of them."""
    results: list[tuple[str, Solution | None, str | None]] = []
    for algorithm in (named(one) or choose(problem)[0] for one in algorithms):
        refusal = unsuited(algorithm, problem)
        solution = None if refusal else solve(problem, algorithm, limits, observer, seed)
        results.append((algorithm.name, solution, refusal))
    bound = max((s.bound for _, s, _ in results if s is not None), default=float("-inf"))
    yardsticks = [
        Problem(replace(problem.policy, metric=metric), problem.counts, problem.tables)
        for metric in _metrics(problem)
    ]
    return Comparison(
        problem.policy.metric.name,
        bound,
        tuple(
            Row(name, s, refusal, _gap(s, bound), _measures(s, yardsticks))
            for name, s, refusal in results
        ),
    )


def _metrics(problem: Problem) -> list[Metric]:
    """Those that need nothing beyond what was counted."""
    metrics: list[Metric] = [Precision(), Loss(), Discernibility(), ClassSize()]
    return metrics + [Classification(column) for column in problem.counts.sensitive]


def _measures(solution: Solution | None, yardsticks: Sequence[Problem]) -> dict[str, float]:
    if solution is None or solution.recoding is None:
        return {}
    return {one.policy.metric.name: one.cost_of(solution.recoding) for one in yardsticks}


def _gap(solution: Solution | None, bound: float) -> float | None:
    if solution is None or solution.cost is None:
        return None
    if solution.cost <= bound or solution.cost == 0:
        return 0.0
    return min(1.0, (solution.cost - bound) / abs(solution.cost))
