"""Rows that are unique over one, two or three kept columns, and over all of them.

Kept columns are released as they are. A person who knows a few of these cells about somebody finds
the row if no other row has them, and then reads all other cells. No generalized column is needed
for this: in the re-identification of students of EdX, the columns that were thought harmless
singled people out (A. Cohen, Attacks on deidentification's defenses, USENIX Security 2022).
Quasi-identifiers are not counted, because they will be generalized.

All sets of up to three columns are counted if that is affordable. In larger tables, the worst sets
of each size are extended by every column, so the sets that are named are bad ones, but there may be
worse ones of two or three columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np

from lookalike.counts.tuple_keys import tuple_keys
from lookalike.risks.kept_columns.coded_table import CodedTable, Flags
from lookalike.risks.kept_columns.findings import SinglingOut

MAX_SET_COLUMNS = 3  # columns in a set
MAX_NAMED_SETS = 3  # sets of each size that are named
MAX_SET_TUPLES = 5_000_000  # distinct tuples over all sets of one size: less than half a second

Names = tuple[str, ...]
Unique = Mapping[Names, Flags]  # for each set: (tuples,) unique over it


def single_out(table: CodedTable, kept: Sequence[str]) -> tuple[SinglingOut, ...]:
    """The worst sets of each size, smaller sets first, and all columns together at the end."""
    if not kept:
        return ()
    nobody = np.zeros(len(table.counts), dtype=np.bool_)
    alone: dict[Names, Flags] = {(name,): _alone(table, (name,), nobody) for name in kept}
    chosen = _worst(alone, {})
    for size in range(2, min(MAX_SET_COLUMNS, len(kept)) + 1):
        smaller, alone = alone, {}
        for names in _sets(kept, size, smaller):
            alone[names] = _alone(table, names, _best_subset(names, smaller))
        chosen += _worst(alone, smaller)
    if not chosen or set(chosen[-1].columns) != set(kept):
        everywhere = _alone(table, tuple(kept), max(alone.values(), key=np.count_nonzero))
        chosen.append(SinglingOut(tuple(kept), int(everywhere.sum())))
    return tuple(chosen)


def _sets(kept: Sequence[str], size: int, smaller: Unique) -> list[Names]:
    """All sets of this size, or those that extend the worst smaller sets."""
    everything = list(combinations(kept, size))
    tuples = len(next(iter(smaller.values())))
    if len(everything) * tuples <= MAX_SET_TUPLES:
        return everything
    most = max(1, MAX_SET_TUPLES // (tuples * len(kept)))
    begun = [set(names) for names in sorted(smaller, key=_worst_first(smaller))[:most]]
    return [names for names in everything if any(start < set(names) for start in begun)]


def _best_subset(names: Names, smaller: Unique) -> Flags:
    """The rows that are unique over one column less, for the column that matters least."""
    subsets = (smaller.get(subset) for subset in combinations(names, len(names) - 1))
    return max((flags for flags in subsets if flags is not None), key=np.count_nonzero)


def _alone(table: CodedTable, names: Names, before: Flags) -> Flags:
    """(tuples,) those of one row that no other row equals over these columns.

    ``before`` are the unique ones over some of these columns. They differ from all other rows, so
    only the others are compared.
    """
    others = np.flatnonzero(~before)
    columns = [(table.columns[name].codes[others], table.columns[name].width) for name in names]
    alone = before.copy()
    if len(columns) == 1:
        codes, width = columns[0]
        rows = np.bincount(codes, weights=table.counts, minlength=width)
        alone[others] = rows[codes] == 1
        return alone
    keys = tuple_keys(columns, len(others))
    order = np.argsort(keys)
    key = keys[order]
    single = table.counts[others][order] == 1
    single[1:] &= key[1:] != key[:-1]
    single[:-1] &= key[:-1] != key[1:]
    alone[others[order]] = single
    return alone


def _worst(alone: Unique, smaller: Unique) -> list[SinglingOut]:
    """The sets with most unique rows, of those in which every column makes more rows unique."""
    rows = {names: int(flags.sum()) for names, flags in alone.items()}
    telling = [
        names
        for names in alone
        if rows[names] and not (smaller and rows[names] == _best_subset(names, smaller).sum())
    ]
    worst = sorted(telling, key=_worst_first(alone))[:MAX_NAMED_SETS]
    return [SinglingOut(names, rows[names]) for names in worst]


def _worst_first(alone: Unique) -> Callable[[Names], tuple[int, Names]]:
    rows = {names: int(flags.sum()) for names, flags in alone.items()}
    return lambda names: (-rows[names], names)
