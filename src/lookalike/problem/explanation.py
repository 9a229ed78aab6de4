"""Explanation of a problem before it is searched: its sizes, and the algorithm that suits it."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.problem.problem import Problem


@dataclass(frozen=True, slots=True)
class Column:
    """One quasi-identifier and its hierarchy."""

    name: str
    values: int
    levels: tuple[str, ...]  # what each level shows
    allowed: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Expected:
    """How long search and release may take, as far as that is known in advance."""

    low: float | None  # seconds; None if not known
    high: float | None
    sentence: str


@dataclass(frozen=True, slots=True)
class ColumnPrice:
    """A quasi-identifier, its share of the cost, and the cost if it were left out."""

    column: str
    share: float
    cost_without: float  # of the other columns


@dataclass(frozen=True, slots=True)
class ColumnPrices:
    """What it would help to leave out one quasi-identifier: estimates of short searches."""

    cost: float  # with all quasi-identifiers
    prices: tuple[ColumnPrice, ...]  # lowest cost first


@dataclass(frozen=True, slots=True)
class Explanation:
    """Sizes of a problem, and the algorithm that suits it."""

    rows: int
    groups: int
    nodes: int
    allowance: int
    smallest: int
    metric: str
    columns: tuple[Column, ...]
    algorithm: str
    why: str
    expected: Expected
    prices: ColumnPrices | None = None  # of wide tables


def explain_problem(
    problem: Problem, algorithm: str, why: str, expected: Expected, prices: ColumnPrices | None
) -> Explanation:
    """The explanation that ``la.explain`` returns."""
    columns = []
    for table, low, high in zip(problem.tables, problem.low, problem.high, strict=True):
        below = map(problem.policy.hierarchies[table.name].describe, range(table.height))
        columns.append(Column(table.name, table.leaves, (*below, "suppressed (*)"), (low, high)))
    return Explanation(
        problem.rows,
        problem.groups,
        problem.nodes,
        problem.allowance,
        problem.smallest,
        problem.policy.metric.name,
        tuple(columns),
        algorithm,
        why,
        expected,
        prices,
    )
