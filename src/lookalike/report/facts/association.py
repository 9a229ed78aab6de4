"""Which columns went together before, and still do: Cramér's V of pairs of columns.

V goes from 0, knowing one column tells nothing of the other, to 1, it tells all. It is corrected
for the association that many values show by chance alone (Bergsma 2013). Columns of many values
are grouped first, by their hierarchy or by their most frequent values, the same way before and
after where the release does not say otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.policy.hierarchies.number_reading import number
from lookalike.report.facts.value_groups import at_level
from lookalike.report.number_format import MISSING, shown
from lookalike.report.subject import Subject
from lookalike.solution.recoding import Space

COLUMNS = 8  # that are looked at: 28 pairs
VALUES = 40  # of a column, at most
ROWS = 3_000_000  # of a larger table the pairs are not counted

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two columns, and how strongly they are associated; None where a column has one value."""

    one: str
    other: str
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class Associations:
    """Pairs, the strongest before first, and the columns that were left out."""

    pairs: tuple[Pair, ...]
    columns: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    by_cell: bool = False  # are columns recoded cell by cell?
    values: int = VALUES


def associations(subject: Subject) -> Associations | None:
    """None if the table is too large to count pairs of columns."""
    if not subject.problem.holds_all_tuples or subject.problem.rows > ROWS:
        return None
    every = (*subject.problem.names, *subject.told)
    names, left_out = every[:COLUMNS], every[COLUMNS:]
    if len(names) < 2:
        return Associations((), names, left_out)
    before = subject.eligible.count_groups(names)
    after = subject.released.count_groups(names)
    old = [_before_groups(subject, before, a) for a in range(len(names))]
    new = [
        _after_groups(before, after, a, a < len(subject.problem.names)) for a in range(len(names))
    ]
    pairs = [
        Pair(
            names[a],
            names[b],
            cramers_v(_crossed(before, old, a, b)),
            cramers_v(_crossed(after, new, a, b)),
        )
        for a, b in combinations(range(len(names)), 2)
    ]
    pairs.sort(key=lambda pair: -(pair.before or 0.0))
    return Associations(tuple(pairs), names, left_out, subject.recoding.space is Space.CELL_LEVEL)


def cramers_v(crossed: NDArray[np.float64]) -> float | None:
    """Of a table of counts, corrected for chance; None if a column has but one value."""
    crossed = crossed[crossed.sum(axis=1) > 0][:, crossed.sum(axis=0) > 0]
    rows, columns = crossed.shape
    total = float(crossed.sum())
    if min(rows, columns) < 2 or total < 2:
        return None
    expected = np.outer(crossed.sum(axis=1), crossed.sum(axis=0)) / total
    phi2 = float(((crossed - expected) ** 2 / expected).sum()) / total
    phi2 = max(0.0, phi2 - (rows - 1) * (columns - 1) / (total - 1))
    least = (
        min(rows - (rows - 1) ** 2 / (total - 1), columns - (columns - 1) ** 2 / (total - 1)) - 1
    )
    return min(1.0, float(np.sqrt(phi2 / least))) if least > 0 else None


def _crossed(counts: FrequencySet, of: Sequence[Whole], a: int, b: int) -> NDArray[np.float64]:
    """The counts of two columns' groups."""
    one, other = of[a][counts.codes[:, a]], of[b][counts.codes[:, b]]
    wide = int(of[b].max(initial=-1)) + 1
    shape = (int(of[a].max(initial=-1)) + 1, wide)
    flat = np.bincount(one * wide + other, counts.counts, shape[0] * wide)
    return flat.reshape(shape).astype(np.float64)


def _before_groups(subject: Subject, counts: FrequencySet, a: int) -> Whole:
    """(values,) the group of each value of the original: as fine as ``VALUES`` groups allow."""
    if len(counts.values[a]) <= VALUES or a >= len(subject.problem.names):
        return _frequent(counts, counts, a)
    table = subject.problem.tables[a]
    level = next(level for level, labels in enumerate(table.labels) if len(labels) <= VALUES)
    groups = at_level(subject.problem, a, level)
    place = {value: at for at, value in enumerate(subject.problem.counts.values[a])}
    return np.array([groups.of[place[value]] for value in counts.values[a]], dtype=np.int64)


def _after_groups(before: FrequencySet, after: FrequencySet, a: int, recoded: bool) -> Whole:
    """As released; a kept column as it was grouped before."""
    return _frequent(after if recoded else before, after, a)


def _frequent(source: FrequencySet, counts: FrequencySet, a: int) -> Whole:
    """(values,) one by one; of very many, numbers in tenths and the rest of others together."""
    rows: dict[str, int] = {}
    for value, held in zip(source.values[a], source.marginal(a).tolist(), strict=True):
        rows[shown(value)] = rows.get(shown(value), 0) + held
    texts = [shown(value) for value in counts.values[a]]
    if len(rows) > VALUES and all(_size(one) is not None for one in rows if one != MISSING):
        return _tenths(texts, list(rows))
    top = sorted(rows, key=lambda one: (-rows[one], one))[: VALUES - 1]
    place = {value: at for at, value in enumerate(sorted(top))}
    return np.array([place.get(one, len(place)) for one in texts], dtype=np.int64)


def _tenths(texts: Sequence[str], known: Sequence[str]) -> Whole:
    """A tenth of the different numbers each; a null is a group of its own."""
    edges = np.quantile(
        [size for one in known if (size := _size(one)) is not None], np.linspace(0, 1, 11)[1:-1]
    )
    sizes = [_size(one) for one in texts]
    return np.array(
        [10 if size is None else int(np.searchsorted(edges, size, "right")) for size in sizes],
        dtype=np.int64,
    )


def _size(one: str) -> float | None:
    read = number(one)
    size = math.inf if read is None else float(read)
    return size if math.isfinite(size) else None
