"""Count the rows of each key: in an array of all keys if they are small, else in a hash table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.key_fields import WORD_ITSELF, KeyFields
from lookalike.tables.packed.sorting import count_sorted, sort_rows, sort_words
from lookalike.tables.packed.threads import block, chunks, run_in_threads, threads

MAX_DENSE_KEY = 1 << 21  # keys below this are counted in an array of all of them
SAMPLE_ROWS = 130_000
Counts = NDArray[np.int64]
Counted = tuple[Words, Counts]  # keys, and the rows of each


def count_keys(words: Sequence[Words], keys: KeyFields, max_keys: int) -> Counted | None:
    """The sorted distinct keys, and the rows of each; None if there are more than ``max_keys``."""
    if keys.max_key < MAX_DENSE_KEY:
        counts = count_dense(words, keys)
        present = np.flatnonzero(counts)
        return None if len(present) > max_keys else (present.astype(np.uint64), counts[present])
    shared = chunks(len(words[0]))
    tables = run_in_threads(
        lambda _: _count_hashed(words, keys, max_keys, shared), range(threads())
    )
    if any(table is None for table in tables):
        return None
    whole = max((table for table in tables if table), key=lambda table: table.size)
    for table in tables:
        if table and table is not whole:
            whole.add_all(table)
    return whole.sorted() if whole.size <= max_keys else None


def count_rows(words: Sequence[Words], max_rows: int) -> tuple[tuple[Words, ...], Counts] | None:
    """The sorted distinct rows, and the number of each; None if they exceed ``max_rows``."""
    if len(words) == 1:
        if estimate_keys(sample_rows(words), WORD_ITSELF, len(words[0])) > max_rows:
            return None
        counted = count_keys(words, WORD_ITSELF, max_rows)
        return None if counted is None else ((counted[0],), counted[1])
    rows, counts = count_sorted(sort_rows([word.copy() for word in words]))
    return None if len(counts) > max_rows else (rows, counts)


def estimate_keys(sample: Sequence[Words], keys: KeyFields, rows: int) -> float:
    """Estimate the distinct keys of ``rows`` rows from a sample of them; probably too low.

    Chao's estimate: the keys seen, and as many more as singletons and pairs make likely.
    """
    table = _count_hashed(sample, keys, rows, chunks(len(sample[0])), SAMPLE_ROWS.bit_length())
    assert table is not None
    counts = table.lines[:, 1]
    once, twice = np.count_nonzero(counts == 1), np.count_nonzero(counts == 2)
    return min(float(rows), table.size + once * (once - 1) / (2 * (twice + 1)))


def sample_rows(words: Sequence[Words]) -> list[Words]:
    """Some of the rows, evenly spread."""
    step = max(1, len(words[0]) // SAMPLE_ROWS)
    return [word[::step].copy() for word in words]


def count_dense(words: Sequence[Words], keys: KeyFields) -> Counts:
    """The rows of every possible key."""
    from lookalike.tables.packed.row_kernels import count_dense as count_block

    shared = chunks(len(words[0]))

    def count(_: int) -> Counts:
        counts = np.zeros(keys.max_key + 1, np.int64)
        for rows in shared:
            count_block(*block(words, rows), keys.kernel, counts)
        return counts

    total: Counts = np.sum(run_in_threads(count, range(threads())), axis=0, dtype=np.int64)
    return total


def _count_hashed(
    words: Sequence[Words],
    keys: KeyFields,
    max_keys: int,
    shared: Iterator[slice],
    bits: int = 13,
) -> _HashTable | None:
    from lookalike.tables.packed.row_kernels import count_hashed

    table = _HashTable(bits)
    for rows in shared:
        part, start, end = block(words, rows)
        while start < end:
            table.size, start = count_hashed(
                part, start, end, keys.kernel, table.lines, table.up, table.size
            )
            if table.size > max_keys:
                for _ in shared:  # so that other threads stop, too
                    pass
                return None
            if start < end:
                table.grow()
    return table


class _HashTable:
    """Keys and their counts: ``lines`` as the kernels take them, and the number of keys."""

    def __init__(self, bits: int) -> None:
        self.bits, self.size = bits, 0
        self.lines = np.zeros((1 << self.bits, 2), np.uint64)

    @property
    def up(self) -> np.uint64:
        return np.uint64(64 - self.bits)

    def grow(self) -> None:
        from lookalike.tables.packed.row_kernels import merge_tables

        self.bits += 2 if self.bits < 18 else 1
        old, self.lines = self.lines, np.zeros((1 << self.bits, 2), np.uint64)
        merge_tables(old, self.lines, self.up, 0)

    def add_all(self, other: _HashTable) -> None:
        from lookalike.tables.packed.row_kernels import merge_tables

        while 4 * (self.size + other.size) > 3 * len(self.lines):
            self.grow()
        self.size = merge_tables(other.lines, self.lines, self.up, self.size)
        other.lines = other.lines[:0]

    def sorted(self) -> Counted:
        from lookalike.tables.packed.row_kernels import counts_of, keys_of

        keys = np.empty(self.size, np.uint64)
        keys_of(self.lines, keys)
        keys = sort_words(keys)
        counts = np.empty(self.size, np.int64)
        run_in_threads(
            lambda part: counts_of(self.lines, self.up, keys[part], counts[part]),
            chunks(self.size),
        )
        return keys, counts
