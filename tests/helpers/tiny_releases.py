"""Tiny problems released by an algorithm, and seen as an attacker sees them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import oracle
import pyarrow as pa
import tiny

import lookalike as la
from lookalike.attacking.release_view import ReleaseView, view_release
from lookalike.tables.open import open_table


def small_problems(seed: int, rows: int = 8, tuples: int = 16) -> Iterator[oracle.TinyProblem]:
    """Problems with a few rows over a few combinations of values."""
    rng = random.Random(seed)
    while True:
        one = oracle.random_problem(rng)
        columns = range(len(one.hierarchies))
        combinations = 1
        for a in columns:
            combinations *= len({row[a] for row in one.rows})
        if len(one.rows) <= rows and 1 < combinations <= tuples:
            yield one


def released_rows(one: oracle.TinyProblem, solution: la.Solution) -> list[tuple[str, ...]]:
    """The labels of every released row of a cell map."""
    problem = tiny.problem(one, la.Precision())
    pieces = solution.recoding
    rows = []
    for group, count, levels in zip(pieces.group, pieces.rows, pieces.levels, strict=True):
        leaf = problem.counts.codes[problem.canonical[group]].tolist()
        if levels[0] >= 0:
            rows += [
                tuple(
                    one.hierarchies[a][problem.counts.values[a][code]][levels[a]]
                    for a, code in enumerate(leaf)
                )
            ] * int(count)
    return rows


def view(
    one: oracle.TinyProblem,
    metric: la.Metric,
    rows: list[tuple[str, ...]],
    algorithm: str = "",
    suppressed: int = 0,
) -> ReleaseView:
    """The release as a view."""
    columns = {name: [row[a] for row in rows] for a, name in enumerate(tiny.names(one))}
    table = open_table(pa.table({**columns, "label": ["x"] * len(rows)}))
    policy = tiny.policy(one, metric)
    domain = tiny.counts(one)
    return view_release(table, policy, domain, algorithm=algorithm, suppressed=suppressed)


def domain(one: oracle.TinyProblem) -> list[list[str]]:
    """The values that occur in each column."""
    return [sorted({row[a] for row in one.rows}) for a in range(len(one.hierarchies))]


def sizes(rows: list[tuple[str, ...]]) -> dict[tuple[str, ...], int]:
    """Rows by the labels that they show."""
    return dict(Counter(rows))
