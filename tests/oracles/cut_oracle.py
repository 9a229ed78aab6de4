"""The oracle of cuts: every set of cuts of a tiny table, counted row by row, from the definitions.

Plain Python that shares no code with the package; only the last part, which hands the same tables
to the package as a policy and a problem, imports it. The nouns:

value      the place of a value in the order of its column, from 0; every place occurs in some row
cut        (column, place): parts the values below the place from the rest
interval   of a value under cuts: how many cuts of its column are at or below it
class      rows with the same intervals throughout; under k rows it is suppressed
DM         Σ over classes: rows · rows if released, rows · |D| if suppressed
CM         Σ over classes: rows not of the most frequent label if released, all rows if suppressed
limit      how many rows may be suppressed, and never all of them
levels     (low, high) a column: 0 is each value, 1 is pairs of neighbors from the first on, 2 is
           all in one; a recoding may not be finer than low, nor coarser than high
"""

import itertools
import random
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

METRICS = ("discernibility", "classification")


@dataclass(frozen=True)
class TinyCuts:
    """A table to cut, and what is asked of it."""

    rows: tuple[tuple[int, ...], ...]  # of values
    labels: tuple[str, ...]  # one a row
    names: tuple[tuple[str, ...], ...]  # a column: what its values are called, in their order
    k: int
    limit: int
    levels: tuple[tuple[int, int], ...]

    @property
    def cuts(self):
        """In the package's numbering: column by column, each from its first place on."""
        return [(a, p) for a, names in enumerate(self.names) for p in range(1, len(names))]

    @property
    def forced(self):
        return {cut for cut in self.cuts if self._parts(cut, self.levels[cut[0]][1])}

    @property
    def allowed(self):
        return {cut for cut in self.cuts if self._parts(cut, self.levels[cut[0]][0])}

    def _parts(self, cut, level):
        """Do the groups of a level part the two values at a cut?"""
        return level == 0 or (level == 1 and cut[1] % 2 == 0)

    @cached_property
    def outcomes(self):
        """Of every set of cuts that is allowed: (cuts, suppressed, {metric: cost})."""
        free = sorted(self.allowed - self.forced)
        chosen = (
            self.forced | set(some)
            for number in range(len(free) + 1)
            for some in itertools.combinations(free, number)
        )
        return [(frozenset(cuts), *outcome(self, cuts)) for cuts in chosen]

    def best(self, metric, limit=None):
        """The least cost and all cut sets that have it; (None, []) if none keeps to the limit."""
        return least(self, metric, self.outcomes, self.limit if limit is None else limit)

    def below(self, metric, head, tail, limit):
        """The same for the subtree of a node: all of its head, any of its tail."""
        within = [one for one in self.outcomes if head <= one[0] <= head | tail]
        return least(self, metric, within, limit)


def least(tiny, metric, outcomes, limit):
    most = min(limit, len(tiny.rows) - 1)
    costs = [(costs[metric], cuts) for cuts, suppressed, costs in outcomes if suppressed <= most]
    if not costs:
        return None, []
    cost = min(cost for cost, _ in costs)
    return cost, [cuts for one, cuts in costs if one == cost]


def outcome(tiny, cuts):
    """The suppressed rows, and both costs."""
    places = [[p for a, p in cuts if a == column] for column in range(len(tiny.names))]
    interval = [
        [sum(p <= value for p in own) for value in range(len(names))]
        for own, names in zip(places, tiny.names, strict=True)
    ]
    classes = {}
    for row, label in zip(tiny.rows, tiny.labels, strict=True):
        shown = tuple(interval[a][value] for a, value in enumerate(row))
        classes.setdefault(shown, []).append(label)
    suppressed, discernibility, classification = 0, 0, 0
    for labels in classes.values():
        size = len(labels)
        if size < tiny.k:
            suppressed += size
            discernibility += size * len(tiny.rows)
            classification += size
        else:
            discernibility += size * size
            classification += size - max(Counter(labels).values())
    return suppressed, {"discernibility": discernibility, "classification": classification}


# --- random tables ------------------------------------------------------------------------------


def random_cuts(rng: random.Random, least_k: int = 1, most_cuts: int = 9) -> TinyCuts:
    """2 to 4 columns of up to 5 values, 5 to 40 rows, k up to 6, 2 or 3 labels, even or skewed."""
    while True:
        widths = [rng.randint(2, 5) for _ in range(rng.randint(2, 4))]
        skew = rng.choice([1.0, 1.0, 0.6, 0.3])  # each value against the one before
        rows = [
            tuple(
                rng.choices(range(width), weights=[skew**v for v in range(width)])[0]
                for width in widths
            )
            for _ in range(rng.randint(5, 40))
        ]
        places = [sorted({row[a] for row in rows}) for a in range(len(widths))]
        if sum(len(own) - 1 for own in places) <= most_cuts:
            break
    rows = [tuple(places[a].index(v) for a, v in enumerate(row)) for row in rows]
    kinds = "xyz"[: rng.randint(2, 3)]
    by_value = rng.random() < 0.5  # do labels go with the first column?
    labels = [
        kinds[row[0] % len(kinds)] if by_value and rng.random() < 0.8 else rng.choice(kinds)
        for row in rows
    ]
    k = rng.randint(least_k, 6)
    free = rng.random() < 0.7
    return TinyCuts(
        tuple(rows),
        tuple(labels),
        tuple(tuple(rng.sample("abcdefgh", len(own))) for own in places),
        k,
        rng.choice([0, 1, 2, 3, k, len(rows) // 4, len(rows)]),
        tuple(
            (0, 2) if free else rng.choice([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)])
            for _ in places
        ),
    )


def many(count: int, seed: int, least_k: int = 1, most_cuts: int = 9) -> list[TinyCuts]:
    rng = random.Random(seed)
    return [random_cuts(rng, least_k, most_cuts) for _ in range(count)]


# --- the same as the package sees it ------------------------------------------------------------


def column_names(tiny: TinyCuts) -> list[str]:
    return [f"q{a}" for a in range(len(tiny.names))]


def table(tiny: TinyCuts):
    """As a pandas frame, with the labels in ``label``."""
    import pandas as pd

    columns = {
        name: [tiny.names[a][row[a]] for row in tiny.rows]
        for a, name in enumerate(column_names(tiny))
    }
    return pd.DataFrame({**columns, "label": tiny.labels})


def policy(tiny: TinyCuts, metric: str, limit: int | None = None, weights=None):
    """As a policy; ``tiny.k`` must be 2 or more."""
    import lookalike as la

    metrics = {
        "discernibility": la.Discernibility(),
        "classification": la.Classification("label"),
    }
    return la.Policy(
        quasi_identifiers={
            name: la.ordered(values, widths=[2])
            for name, values in zip(column_names(tiny), tiny.names, strict=True)
        },
        sensitive=["label"],
        require=la.KAnonymity(tiny.k),
        suppress=min(len(tiny.rows), tiny.limit if limit is None else limit),
        metric=metrics.get(metric, metric),
        weights=weights,
        levels=dict(zip(column_names(tiny), tiny.levels, strict=True)),
    )


def counts(tiny: TinyCuts):
    """As a frequency set, without an engine."""
    import numpy as np

    from lookalike.counts.frequency_set import FrequencySet, Histogram

    shown = [tuple(tiny.names[a][v] for a, v in enumerate(row)) for row in tiny.rows]
    values = [sorted(names) for names in tiny.names]
    labels = sorted(set(tiny.labels))
    groups = sorted(set(shown))
    held = Counter(shown)
    entries = sorted(Counter(zip(shown, tiny.labels, strict=True)).items())
    histogram = Histogram(
        tuple(labels),
        np.array([groups.index(row) for (row, _), _ in entries]),
        np.array([labels.index(label) for (_, label), _ in entries], dtype=np.int32),
        np.array([count for _, count in entries]),
    )
    codes = [[values[a].index(value) for a, value in enumerate(row)] for row in groups]
    return FrequencySet(
        tuple(column_names(tiny)),
        tuple(map(tuple, values)),
        np.array(codes, dtype=np.int32),
        np.array([held[row] for row in groups], dtype=np.int64),
        {"label": histogram},
    )


def problem(tiny: TinyCuts, metric: str, limit: int | None = None, weights=None):
    """The problem as ``prepare`` would make it."""
    from lookalike.problem.prepare import tabulate
    from lookalike.problem.problem import Problem

    asked, counted = policy(tiny, metric, limit, weights), counts(tiny)
    tables, faults = tabulate(asked, counted)
    assert not faults, faults
    return Problem(asked, counted, tables)
