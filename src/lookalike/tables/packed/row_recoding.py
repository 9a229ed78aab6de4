"""Recode packed rows into a release: new values for each column, suppressed rows out, sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lookalike.counts.level_table import TOP
from lookalike.tables.files.file_writing import repeated_slices
from lookalike.tables.packed.bit_layout import BitLayout, Words
from lookalike.tables.packed.key_counts import count_rows
from lookalike.tables.packed.node_counts import NO_LIMIT
from lookalike.tables.packed.packed_rows import PackedRows
from lookalike.tables.packed.sorting import sort_rows
from lookalike.tables.sql.row_recoding import check_row_numbers
from lookalike.tables.table import Edit

MIN_GROUPS = 1 << 16  # it is always worth grouping rows into fewer distinct ones than this
MAX_GROUPS = 1 << 22  # a hash table of more would take more memory than the rows
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SortedRows:
    """Sorted rows: ``words`` by ``layout`` into ``values``. ``counts``: how often; None: once."""

    names: tuple[str, ...]
    values: tuple[Any, ...]
    layout: BitLayout
    words: tuple[Words, ...]
    counts: Whole | None

    @property
    def rows(self) -> int:
        return len(self.words[0]) if self.counts is None else int(self.counts.sum())

    def parts(self, size: int) -> Iterator[tuple[list[Words], Whole | None]]:
        """The words of each ``size`` rows, and how often each of them occurs there."""
        if self.counts is None:
            begins = range(0, len(self.words[0]), size)
            slices: Any = ((slice(begin, begin + size), None) for begin in begins)
        else:
            slices = repeated_slices(self.counts, size)
        for part, repeats in slices:
            yield [word[part] for word in self.words], repeats


@dataclass(frozen=True, slots=True, eq=False)
class _ReleasedColumn:
    """One released column: its sorted values, and the new code of each original code."""

    place: int  # of the column in the original
    values: Any
    new_codes: Whole
    starred: Whole  # the new code of each in a suppressed row


def recode_packed(
    packed: PackedRows, edit: Edit, texts: Callable[[int], Sequence[str | None]], where: str
) -> SortedRows | None:
    """Make the release, using up the packed rows; None if class codes do not fit in a word.

    ``texts`` returns the texts of a column's values.
    """
    classes = [recoding.codes for recoding in edit.recodings.values()]
    key_layout = BitLayout.for_sizes([int(codes.max(initial=0)) + 1 for codes in classes])
    if key_layout.words > 1:
        return None
    columns = [_released_column(packed, edit, name, texts) for name in edit.columns]
    layout = BitLayout.for_sizes([len(column.values) for column in columns])
    places = [packed.names.index(name) for name in edit.recodings]
    [key_luts] = key_layout.luts(classes, places, len(packed.names))
    keys = np.zeros(len(edit.suppressed), dtype=np.uint64)
    for shift, column in zip(key_layout.shift, edit.suppressed.T, strict=True):
        keys += column.astype(np.uint64) << np.uint64(shift)
    suppressed_keys = np.unique(keys)
    before = packed.rows
    suppressed = _count_suppressed(packed, key_luts, suppressed_keys) if edit.star else None
    places = [column.place for column in columns]
    luts = layout.luts([column.new_codes for column in columns], places, len(packed.names))
    star_luts = layout.luts([column.starred for column in columns], places, len(packed.names))
    starred = star_luts if edit.star else None
    words = packed.recode(luts, key_luts, suppressed_keys, starred)
    rows = len(words[0])
    suppressed = before - rows if suppressed is None else suppressed
    check_row_numbers(before - suppressed, suppressed, edit, where)
    values = tuple(column.values for column in columns)
    counted = count_rows(words, min(MAX_GROUPS, max(MIN_GROUPS, rows // 4)))
    return SortedRows(edit.columns, values, layout, *(counted or (sort_rows(words), None)))


def _released_column(
    packed: PackedRows, edit: Edit, name: str, texts: Callable[[int], Sequence[str | None]]
) -> _ReleasedColumn:
    place = packed.names.index(name)
    same = np.arange(len(packed.values[place]))
    recoding = edit.recodings.get(name)
    if recoding is None or (recoding.labels is None and not edit.star):
        return _ReleasedColumn(place, packed.values[place], same, same)
    if recoding.labels is None:
        labels = list(texts(place))
    else:
        labels = [recoding.labels[code] for code in recoding.codes.tolist()]
    shown = {*labels, TOP} if edit.star else set(labels)
    values: list[str | None] = [*sorted(label for label in shown if label is not None)]
    values += [None] if None in shown else []
    code_of = {label: i for i, label in enumerate(values)}
    new_codes = np.array([code_of[label] for label in labels], dtype=np.int64).reshape(-1)
    starred = np.full(len(new_codes), code_of.get(TOP, 0))
    return _ReleasedColumn(place, pa.array(values, pa.string()), new_codes, starred)


def _count_suppressed(packed: PackedRows, key_luts: Sequence[Words | None], keys: Words) -> int:
    """The number of rows with one of the keys."""
    if not len(keys):
        return 0
    counted = packed.count(key_luts, NO_LIMIT)
    assert counted is not None
    return int(counted[1][np.isin(counted[0], keys)].sum())
