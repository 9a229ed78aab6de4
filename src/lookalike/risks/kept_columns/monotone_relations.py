"""Monotone relations: one column rises, or falls, wherever the other rises.

An attacker who knows the order of people by one column knows it by the other; and a column that was
only cut into bands (a kept income group, a generalized income) shows the band. The relation holds
for the longest subsequence of rows that is in order (C. Schensted, Longest increasing and
decreasing subsequences, Canadian Journal of Mathematics 13, 1961).

Rows are sorted by the first column. Where it repeats a value, the second must repeat its own, so
the second is a function of the first, and a monotone one.
"""

from __future__ import annotations

import math
from bisect import bisect_right

import numpy as np

from lookalike.risks.kept_columns.coded_table import CodedTable, Flags, Real, Whole
from lookalike.risks.kept_columns.findings import Kind
from lookalike.risks.kept_columns.relation import (
    MIN_ABOVE_CHANCE,
    SAMPLE_TOLERANCE,
    Relation,
    exceptions_length,
)

SAMPLE_ROWS = 1_000  # rows of a sample that rule out most columns
MIN_MOVING = 12  # rows without the most frequent value: correlation orders fewer by chance
MIN_VALUES = 3  # of the column that follows: two values in order are only a threshold


def monotone_relation(
    table: CodedTable, sample: CodedTable, kept: str, target: str
) -> Relation | None:
    """The better of: the target follows the kept column, or the kept column follows the target."""
    best: Relation | None = None
    for first in (kept, target):
        for sign in (1.0, -1.0):
            tried = _relation(sample.first(SAMPLE_ROWS), kept, target, first, sign)
            if tried is None or tried.above_chance < MIN_ABOVE_CHANCE - SAMPLE_TOLERANCE:
                continue
            relation = _relation(table, kept, target, first, sign)
            if relation is not None and (best is None or relation.evidence > best.evidence):
                best = relation
    return best


def _relation(
    table: CodedTable, kept: str, target: str, first: str, sign: float
) -> Relation | None:
    """The second column as a monotone function of the first one."""
    leader = table.columns[first]
    follower = table.columns[target if first == kept else kept]
    assert leader.scale is not None
    assert follower.scale is not None
    x, y = sign * leader.scale[leader.codes], follower.scale[follower.codes]
    known = np.isfinite(x) & np.isfinite(y)
    rows = int(table.counts[known].sum())
    tuples = np.repeat(np.flatnonzero(known), table.counts[known])
    values, frequency = np.unique(y[tuples], return_counts=True)
    moving = rows - int(frequency.max(initial=0))
    if rows < 2 or len(values) < MIN_VALUES or moving < MIN_MOVING:
        return None
    order = tuples[np.lexsort((-y[tuples], x[tuples]))]
    kept_rows = longest_in_order(y[order])
    share = len(kept_rows) / rows
    by_chance = max(int(frequency.max()) / rows, min(0.5, 2 / math.sqrt(rows)))
    predicted = _steps(x, x[order[kept_rows]], y[order[kept_rows]])
    holds = known & (predicted == y)
    errors = rows - int(table.counts[holds].sum())
    listed = errors * math.log(len(values)) + exceptions_length(rows, errors)
    without = math.lgamma(rows + 1) - sum(math.lgamma(n + 1) for n in frequency.tolist())
    candidates, classes = _candidates(table, kept, first, predicted, y, known)
    return Relation(
        Kind.MONOTONE, (kept,), target, holds, candidates, classes,
        share, (share - by_chance) / (1 - by_chance), without - listed,
    )  # fmt: skip


def longest_in_order(values: Real) -> Whole:
    """Places of a longest subsequence that never falls."""
    tails: list[float] = []  # the least last value of a subsequence of each length
    at: list[int] = []  # and its place
    before = np.full(len(values), -1, dtype=np.int64)
    for place, value in enumerate(values.tolist()):
        length = bisect_right(tails, value)
        if length:
            before[place] = at[length - 1]
        if length == len(tails):
            tails.append(value)
            at.append(place)
        else:
            tails[length], at[length] = value, place
    chosen = np.empty(len(tails), dtype=np.int64)
    place = at[-1] if at else -1
    for length in range(len(tails) - 1, -1, -1):
        chosen[length] = place
        place = int(before[place])
    return chosen


def _steps(x: Real, known: Real, levels: Real) -> Real:
    """(tuples,) the step function through the rows in order, at each x."""
    finite = np.where(np.isfinite(x), x, -np.inf)
    place = np.searchsorted(known, finite, side="right") - 1
    return np.where(np.isfinite(x), levels[np.maximum(place, 0)], np.nan)


def _candidates(
    table: CodedTable, kept: str, first: str, predicted: Real, y: Real, known: Flags
) -> tuple[Whole, Whole]:
    """Rows that fit the true value of the target, and the number of what is looked up."""
    shown, wanted = (predicted, y) if first == kept else (y, predicted)
    both = np.concatenate([shown[known], wanted[known]])
    codes = np.unique(both, return_inverse=True)[1].reshape(-1)
    shown_codes, wanted_codes = np.split(codes, 2)
    rows = np.bincount(
        shown_codes, weights=table.counts[known], minlength=int(codes.max(initial=0)) + 1
    )
    candidates = np.zeros(len(known), dtype=np.int64)
    candidates[known] = rows[wanted_codes].astype(np.int64)
    classes = np.full(len(known), -1, dtype=np.int64)
    classes[known] = shown_codes
    return candidates, classes
