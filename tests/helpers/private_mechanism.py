"""Private releases of tiny tables, many times: the code of the release, without any frames."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from private_mechanism_oracle import NODES, NOTHING, Node, Row, shown

import lookalike as la
from lookalike.problem.prepare import prepare
from lookalike.releasing.private_levels import Scoring, draw_levels, promise_of
from lookalike.releasing.randomness import Randomness, draw_rows
from lookalike.tables.open import open_table


def tiny_tables(count: int, seed: int = 3) -> Iterator[tuple[list[Row], Row]]:
    """Random tables, each with a row to add."""
    rng = random.Random(seed)
    for _ in range(count):
        people = [(rng.choice((23, 25, 45)), rng.choice("ab")) for _ in range(rng.randint(5, 9))]
        yield people, rng.choice(people) if rng.random() < 0.7 else (61, "c")


def table_of(rows: list[Row]) -> pa.Table:
    return pa.table({"age": [age for age, _ in rows], "letter": [letter for _, letter in rows]})


def policy_of(rule: la.DifferentialPrivacy, node: Node | None = None) -> la.Policy:
    """At a node, or with levels that are chosen."""
    levels = {} if node is None else {"age": (node[0], node[0]), "letter": (node[1], node[1])}
    return la.Policy(
        quasi_identifiers={"age": la.bands(20), "letter": la.flat()},
        require=rule, levels=levels, suppress=1.0,
    )  # fmt: skip


def outputs(
    rows: list[Row], policy: la.Policy, runs: int, randomness: Randomness
) -> Counter[object]:
    """How often each output is made, by the functions that make releases."""
    problem = prepare(open_table(table_of(rows)), policy, drawing=True)
    rule, k = promise_of(policy), policy.smallest
    chosen = [problem.low]
    if rule.search_epsilon:
        scoring = Scoring(problem, rule)  # which counts each node once
        chosen = [draw_levels(scoring, randomness) for _ in range(runs)]
    drawn = draw_rows(runs * len(rows), rule.beta, randomness).reshape(runs, len(rows))
    counted: Counter[object] = Counter()
    for node in dict.fromkeys(chosen):
        at = (
            [i for i, level in enumerate(chosen) if level == node]
            if len(chosen) > 1
            else slice(None)
        )
        labels = sorted({shown(row, node) for row in rows})
        member = np.array([[shown(row, node) == label for label in labels] for row in rows])
        sizes = drawn[at].astype(np.int64) @ member
        made, times = np.unique(np.where(sizes < k, 0, sizes), axis=0, return_counts=True)
        for counts, number in zip(made.tolist(), times.tolist(), strict=True):
            output = tuple((label, n) for label, n in zip(labels, counts, strict=True) if n)
            counted[(node, output) if output else NOTHING] += number
    return counted


def released(rows: list[Row], policy: la.Policy, randomness: Randomness) -> Any:
    """The output of one real release, and the release itself if there is one."""
    from lookalike.pipeline import Pipeline, Request

    request = Request(table=table_of(rows), policy=policy, randomness=randomness)
    try:
        release = Pipeline(request).run()
    except la.Infeasible:
        return NOTHING, None
    cells = Counter(zip(*(map(str, c) for c in release.table.to_pydict().values()), strict=True))
    node = release.solution.recoding.levels
    assert node in NODES
    return (node, tuple(sorted(cells.items()))), release
