"""The oracle's tiny problems as lookalike's own, through its public doors."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import oracle
import pyarrow as pa

import lookalike as la
from lookalike.cost.metric import Metric
from lookalike.counts.frequency_set import FrequencySet, Histogram
from lookalike.policy.conventions import Conventions
from lookalike.problem.prepare import tabulate
from lookalike.problem.problem import Problem

METRICS: dict[str, tuple[Metric, object]] = {
    "precision": (la.Precision(), oracle.precision_cost),
    "loss": (la.Loss(), oracle.loss_cost),
    "loss-geometric": (la.Loss(aggregate="geometric"), oracle.geometric_loss_cost),
    "entropy": (la.Entropy(), oracle.entropy_cost),
    "discernibility": (la.Discernibility(), oracle.discernibility_cost),
    "classification": (la.Classification("label"), oracle.classification_cost),
    "class-size": (la.ClassSize(), oracle.class_size_cost),
    "height": (la.Height(), oracle.height_cost),
}


def tiny_problems(count: int, seed: int) -> Iterator[oracle.TinyProblem]:
    """Random problems whose table has enough rows for k, and levels that the tree really has."""
    rng = random.Random(seed)
    made = 0
    while made < count:
        tiny = oracle.random_problem(rng)
        if len(tiny.rows) >= tiny.k:
            made += 1
            yield tiny


def names(tiny: oracle.TinyProblem) -> list[str]:
    return [f"q{a}" for a in range(len(tiny.hierarchies))]


def policy(
    tiny: oracle.TinyProblem, metric: Metric, conventions: Conventions | None = None
) -> la.Policy:
    return la.Policy(
        quasi_identifiers={
            name: la.tree(list(hierarchy.values()))
            for name, hierarchy in zip(names(tiny), tiny.hierarchies, strict=True)
        },
        sensitive=("label",),
        require=(la.KAnonymity(tiny.k),),
        suppress=tiny.allowance,
        metric=metric,
        weights=dict(zip(names(tiny), tiny.weights, strict=True)),
        levels={
            name: (low, high)
            for name, low, high in zip(names(tiny), tiny.low, tiny.high, strict=True)
        },
        conventions=conventions or Conventions(),
    )


def table(tiny: oracle.TinyProblem) -> pa.Table:
    columns = {name: [row[a] for row in tiny.rows] for a, name in enumerate(names(tiny))}
    return pa.table({**columns, "label": tiny.classes})


def counts(tiny: oracle.TinyProblem) -> FrequencySet:
    """The frequency set without an engine, so that thousands of problems take seconds."""
    values = [sorted({row[a] for row in tiny.rows}) for a in range(len(tiny.hierarchies))]
    labels = sorted(set(tiny.classes))
    groups = sorted(set(tiny.rows))
    held = Counter(tiny.rows)
    entries = sorted(Counter(zip(tiny.rows, tiny.classes, strict=True)).items())
    histogram = Histogram(
        tuple(labels),
        np.array([groups.index(row) for (row, _), _ in entries]),
        np.array([labels.index(label) for (_, label), _ in entries], dtype=np.int32),
        np.array([count for _, count in entries]),
    )
    codes = [[values[a].index(value) for a, value in enumerate(row)] for row in groups]
    return FrequencySet(
        tuple(names(tiny)),
        tuple(map(tuple, values)),
        np.array(codes, dtype=np.int32),
        np.array([held[row] for row in groups], dtype=np.int64),
        {"label": histogram},
    )


def problem(
    tiny: oracle.TinyProblem,
    metric: Metric,
    conventions: Conventions | None = None,
    given: FrequencySet | None = None,
) -> Problem:
    """The problem as ``prepare`` would make it."""
    asked = policy(tiny, metric, conventions)
    counted = given or counts(tiny)
    tables, faults = tabulate(asked, counted)
    assert not faults, faults
    return Problem(asked, counted, tables)


def shuffled(counts: FrequencySet) -> FrequencySet:
    """The same counts, as another engine might list them."""
    order = list(range(counts.groups))
    random.Random(0).shuffle(order)
    label = counts.sensitive["label"]
    place = np.argsort(order)
    moved = Histogram(label.values, place[label.group], label.code, label.count)
    return FrequencySet(
        counts.names, counts.values, counts.codes[order], counts.counts[order], {"label": moved}
    )
