"""Two kept columns that restore a target together: a function of both, or a sum, product or ratio.

There are many pairs, so most are ruled out early: functions on a small sample, a larger one, and
then on all rows of some of the keys; linear relations by the multiple correlation of a sample,
which three correlations give (values beyond the outer quantiles count as these, so that a few wrong
cells do not hide a relation). A pair is not tried where one of the two columns is enough.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations

import numpy as np

from lookalike.counts.tuple_keys import MAX_COMBINATIONS
from lookalike.risks.kept_columns.coded_table import CodedTable, Flags, Real, Whole
from lookalike.risks.kept_columns.findings import Kind
from lookalike.risks.kept_columns.functions import (
    SAMPLE_TUPLES,
    function_of_kept,
    may_be_function,
)
from lookalike.risks.kept_columns.number_relations import LOG, SAME, Transform, linear_relation
from lookalike.risks.kept_columns.relation import MIN_ABOVE_CHANCE, Relation

SMALL_SAMPLE_TUPLES = 2_000  # tuples
KEYS_KEPT = 16  # one of this many keys, for the last test before all rows are used
MIN_REPEATED = 0.2  # share of the rows that must repeat a key: others are free (functions.py)
MAX_ERROR_LEFT = (
    0.5  # of the error of the better column alone: otherwise the other one hardly matters
)
TOLERANCES = (1e-3, 5e-3)  # of the spread; two columns fit many things, so less than for one
MIN_CORRELATION = 0.6  # squared multiple correlation, with up to a tenth of the cells wrong
MIN_GAIN = 0.03  # share of the error that the second column must explain
SAME_COLUMN = 0.999_999  # squared correlation of two columns that say the same
MAX_PAIRS = 60  # pairs for each target, those with the highest correlation
QUANTILES = (0.02, 0.98)

Pair = tuple[str, str]
Explained = Collection[tuple[str, str]]  # kept column and target of which no pair is needed


def pair_relations(
    table: CodedTable,
    kept: Collection[str],
    targets: Collection[str],
    explained: Explained,
    coded: Collection[str],
) -> Iterator[Relation]:
    """The relations of all pairs of kept columns that are not ruled out.

    ``coded`` are the kept columns that can be sources of a function.
    """
    yield from _functions(table, coded, targets, explained)
    yield from _planes(table, kept, targets, explained)


def _functions(
    table: CodedTable, kept: Collection[str], targets: Collection[str], explained: Explained
) -> Iterator[Relation]:
    large = table.sample(SAMPLE_TUPLES)
    small = large.first(SMALL_SAMPLE_TUPLES)
    usable = [name for name in kept if _repeats(table, name)]
    alone = _Alone(table)
    for pair in combinations(usable, 2):
        open_targets = [t for t in targets if not _explained(pair, t, explained)]
        for sample in (small, large):
            if open_targets:
                open_targets = _open(sample, pair, open_targets)
        if not open_targets:
            continue
        if len(large.counts) < len(table.counts):
            open_targets = _open(_some_keys(table, pair), pair, open_targets)
            if not open_targets:
                continue
        keys, known = _keys(table, pair)
        for target in open_targets:
            relation = function_of_kept(table, pair, keys, target, known)
            if relation is None or relation.above_chance < MIN_ABOVE_CHANCE:
                continue
            either = max(alone.above_chance(name, target) for name in pair)
            repeated = 1 - len(np.unique(keys[known])) / max(1, int(table.counts[known].sum()))
            if repeated >= MIN_REPEATED and 1 - relation.above_chance <= MAX_ERROR_LEFT * (
                1 - either
            ):
                yield relation


class _Alone:
    """How far above chance each column determines a target by itself."""

    def __init__(self, table: CodedTable) -> None:
        self.table = table
        self._known: dict[tuple[str, str], float] = {}

    def above_chance(self, name: str, target: str) -> float:
        """1 for an exact function, 0 for a guess; measured once for each column and target."""
        if (name, target) not in self._known:
            column = self.table.columns[name]
            keys = column.codes.astype(np.int64)
            relation = function_of_kept(self.table, (name,), keys, target, column.known)
            self._known[name, target] = 0.0 if relation is None else relation.above_chance
        return self._known[name, target]


def _repeats(table: CodedTable, name: str) -> bool:
    """Do values occur often enough that a function of the column could be supported?"""
    column = table.columns[name]
    repeated = table.rows - column.width
    return not column.is_continuous and column.width > 1 and repeated > MIN_REPEATED * table.rows


def _open(sample: CodedTable, pair: Pair, targets: list[str]) -> list[str]:
    """The targets that a sample does not rule out."""
    keys, known = _keys(sample, pair)
    return [target for target in targets if may_be_function(sample, keys, target, known)]


def _keys(table: CodedTable, pair: Pair) -> tuple[Whole, Flags]:
    """(tuples,) one key for both values, and where neither is null."""
    first, second = (table.columns[name] for name in pair)
    keys = first.codes.astype(np.int64) * second.width + second.codes
    widest = max(column.width for column in table.columns.values())
    if first.width * second.width * widest >= MAX_COMBINATIONS:
        keys = np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return keys, first.known & second.known


def _some_keys(table: CodedTable, pair: Pair) -> CodedTable:
    """All tuples of some of the keys, so that no group of equal keys is divided."""
    keys, _ = _keys(table, pair)
    mixed = (keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
    chosen = np.flatnonzero(mixed % np.uint64(KEYS_KEPT) == 0)
    return table.take(chosen)


def _planes(
    table: CodedTable, kept: Collection[str], targets: Collection[str], explained: Explained
) -> Iterator[Relation]:
    sample = table.sample(SAMPLE_TUPLES).first(SMALL_SAMPLE_TUPLES)
    points = sample.first(SMALL_SAMPLE_TUPLES // 4)
    for transform, kind in ((SAME, Kind.LINEAR), (LOG, Kind.POWER)):
        numeric = {
            name: clipped
            for name in (*kept, *targets)
            if (clipped := _standard(sample, name, transform)) is not None
        }
        for target in targets:
            if target not in numeric:
                continue
            inputs = [name for name in kept if name in numeric]
            for pair in _correlated(numeric, inputs, target, explained):
                forms = tuple((name, transform) for name in pair)
                if _worth_all_rows(sample, points, kind, forms, (target, transform)):
                    relation = linear_relation(
                        table, points, kind, forms, (target, transform), TOLERANCES
                    )
                    if relation is not None:
                        yield relation


def _worth_all_rows(
    sample: CodedTable,
    points: CodedTable,
    kind: Kind,
    kept: tuple[tuple[str, Transform], ...],
    target: tuple[str, Transform],
) -> bool:
    relation = linear_relation(sample, points, kind, kept, target, TOLERANCES)
    return relation is not None and relation.above_chance >= MIN_CORRELATION


def _standard(sample: CodedTable, name: str, transform: Transform) -> Real | None:
    """A column with mean 0 and variance 1, nulls as 0, and outer values drawn in."""
    column = sample.columns[name]
    if column.scale is None or (transform is LOG and column.numbers is None):
        return None
    numbers = transform.apply(column.scale)[column.codes]
    known = np.isfinite(numbers)
    if known.mean() < 0.5:
        return None
    low, high = np.quantile(numbers[known], QUANTILES)
    clipped = np.clip(numbers, low, high)
    deviation = float(np.std(clipped[known]))
    if deviation == 0:
        return None
    standard: Real = np.where(known, (clipped - clipped[known].mean()) / deviation, 0.0)
    return standard


def _correlated(
    numeric: dict[str, Real], inputs: list[str], target: str, explained: Explained
) -> list[Pair]:
    """The pairs with the highest multiple correlation with the target, if it is high enough."""
    if len(inputs) < 2:
        return []
    matrix = np.corrcoef([numeric[name] for name in (*inputs, target)])
    between, with_target = matrix[:-1, :-1], matrix[:-1, -1]
    scored = []
    for i, j in combinations(range(len(inputs)), 2):
        pair = (inputs[i], inputs[j])
        common = between[i, j] ** 2
        if common > SAME_COLUMN or _explained(pair, target, explained):
            continue
        one, two = with_target[i], with_target[j]
        together = (one**2 + two**2 - 2 * one * two * between[i, j]) / (1 - common)
        gain = 1 - (1 - together) / max(1e-12, 1 - max(one**2, two**2))
        if together >= MIN_CORRELATION and gain >= MIN_GAIN:
            scored.append((-together, pair))
    return [pair for _, pair in sorted(scored)[:MAX_PAIRS]]


def _explained(pair: Pair, target: str, explained: Explained) -> bool:
    return any((name, target) in explained for name in pair)
