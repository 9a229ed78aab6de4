"""Associations between columns, before and after: Cramér's V of pairs of columns.

V goes from 0 (no association) to 1 (one column determines the other). It is corrected for the
association that many values show by chance (Bergsma 2013). Columns with many values are grouped
first, by their hierarchy or by their most frequent values, and kept columns the same way before
and after.
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
from lookalike.report.subject import Subject, rows_by_text
from lookalike.solution.recoding import Space

MAX_COLUMNS = 8  # 28 pairs
MAX_VALUES = 40  # of a column, before it is grouped
MAX_ROWS = 3_000_000  # pairs of a larger table are not counted

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two columns and their association; None where a column has one value."""

    first: str
    second: str
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class Associations:
    """Pairs of columns, the strongest association before comes first."""

    pairs: tuple[Pair, ...]
    columns: tuple[str, ...]
    not_measured: tuple[str, ...] = ()
    by_cell: bool = False  # is it a cell-level recoding?
    values: int = MAX_VALUES


def associations(subject: Subject) -> Associations | None:
    """None if the table is too large to count pairs of columns."""
    if not subject.problem.holds_all_tuples or subject.problem.rows > MAX_ROWS:
        return None
    columns = (*subject.problem.names, *subject.counted_columns)
    names, not_measured = columns[:MAX_COLUMNS], columns[MAX_COLUMNS:]
    if len(names) < 2:
        return Associations((), names, not_measured)
    before = subject.eligible.count_groups(names)
    after = subject.released.count_groups(names)
    recoded = len(subject.problem.names)  # the columns after them are grouped as before
    old = [_groups_before(subject, before, a) for a in range(len(names))]
    new = [_groups(after if a < recoded else before, after, a) for a in range(len(names))]
    pairs = [
        Pair(
            names[a],
            names[b],
            cramers_v(_cross_table(before, old, a, b)),
            cramers_v(_cross_table(after, new, a, b)),
        )
        for a, b in combinations(range(len(names)), 2)
    ]
    pairs.sort(key=lambda pair: -(pair.before or 0.0))
    by_cell = subject.recoding.space is Space.CELL_LEVEL
    return Associations(tuple(pairs), names, not_measured, by_cell)


def cramers_v(table: NDArray[np.float64]) -> float | None:
    """V of a table of counts, corrected for chance; None if a column has only one value."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    rows, columns = table.shape
    total = float(table.sum())
    if min(rows, columns) < 2 or total < 2:
        return None
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    phi2 = float(((table - expected) ** 2 / expected).sum()) / total
    phi2 = max(0.0, phi2 - (rows - 1) * (columns - 1) / (total - 1))
    degrees = min(n - 1 - (n - 1) ** 2 / (total - 1) for n in (rows, columns))
    return min(1.0, float(np.sqrt(phi2 / degrees))) if degrees > 0 else None


def _cross_table(
    counts: FrequencySet, groups: Sequence[Integers], a: int, b: int
) -> NDArray[np.float64]:
    """The rows of each pair of groups of two columns."""
    down, across = groups[a][counts.codes[:, a]], groups[b][counts.codes[:, b]]
    height, width = (int(groups[at].max(initial=-1)) + 1 for at in (a, b))
    flat = np.bincount(down * width + across, counts.counts, height * width)
    return flat.reshape(height, width).astype(np.float64)


def _groups_before(subject: Subject, counts: FrequencySet, a: int) -> Integers:
    """(values,) the group of each original value, at the finest level with few enough groups."""
    if len(counts.values[a]) <= MAX_VALUES or a >= len(subject.problem.names):
        return _groups(counts, counts, a)
    table = subject.problem.tables[a]
    level = next(level for level, labels in enumerate(table.labels) if len(labels) <= MAX_VALUES)
    groups = at_level(subject.problem, a, level)
    place = {value: at for at, value in enumerate(subject.problem.counts.values[a])}
    return np.array([groups.of[place[value]] for value in counts.values[a]], dtype=np.int64)


def _groups(source: FrequencySet, counts: FrequencySet, a: int) -> Integers:
    """(values,) a group for each value; if ``source`` has many, tenths or the frequent ones."""
    rows = rows_by_text(source, a)
    texts = [shown(value) for value in counts.values[a]]
    if len(rows) > MAX_VALUES and all(_size(text) is not None for text in rows if text != MISSING):
        return _tenths(texts, list(rows))
    top = sorted(rows, key=lambda text: (-rows[text], text))[: MAX_VALUES - 1]
    place = {value: at for at, value in enumerate(sorted(top))}
    return np.array([place.get(text, len(place)) for text in texts], dtype=np.int64)


def _tenths(texts: Sequence[str], known: Sequence[str]) -> Integers:
    """Ten groups of as many different numbers each; a null is a group of its own."""
    sizes = [size for text in known if (size := _size(text)) is not None]
    edges = [*np.quantile(sizes, np.linspace(0, 1, 11)[1:-1]), np.nan]  # NaN sorts last
    each = [np.nan if (size := _size(text)) is None else size for text in texts]
    return np.searchsorted(edges, each, "right").astype(np.int64)


def _size(text: str) -> float | None:
    value = number(text)
    size = math.inf if value is None else float(value)
    return size if math.isfinite(size) else None
