"""How many rows have each key: by the key itself if keys are small, else by hashing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.key_fields import Fields, itself
from lookalike.tables.packed.sorting import distinct, sort_rows, sort_words
from lookalike.tables.packed.threads import block, chunks, each, threads

DENSE = 1 << 21  # keys below this are counted in an array of all of them
SAMPLE = 130_000  # rows by which groups are guessed
Counts = NDArray[np.int64]


def count(words: Sequence[Words], keys: Fields, most: int) -> tuple[Words, Counts] | None:
    """The distinct keys rising, and the rows of each; None if there are more than ``most``."""
    if keys.most < DENSE:
        counts = dense(words, keys)
        found = np.flatnonzero(counts)
        return None if len(found) > most else (found.astype(np.uint64), counts[found])
    shared = chunks(len(words[0]))
    tables = each(lambda _: _counted(words, keys, most, shared), range(threads()))
    if any(table is None for table in tables):
        return None
    whole = max((table for table in tables if table), key=lambda table: table.held)
    for table in tables:
        if table and table is not whole:
            whole.take(table)
    return whole.sorted() if whole.held <= most else None


def group(words: Sequence[Words], most: int) -> tuple[tuple[Words, ...], Counts] | None:
    """The distinct rows in order, and how many of each; None if there are more than ``most``."""
    if len(words) == 1:
        if likely_groups(sampled(words), itself(), len(words[0])) > most:
            return None
        found = count(words, itself(), most)
        return None if found is None else ((found[0],), found[1])
    rows, counts = distinct(sort_rows([word.copy() for word in words]))
    return None if len(counts) > most else (rows, counts)


def likely_groups(sample: Sequence[Words], keys: Fields, rows: int) -> float:
    """About how many keys so many rows have, from a sample of them; most likely there are more.

    Chao's estimate: what was seen, and as many more as singletons and pairs make likely.
    """
    table = _counted(sample, keys, rows, chunks(len(sample[0])), SAMPLE.bit_length())
    assert table is not None
    held = table.lines[:, 1]
    once, twice = np.count_nonzero(held == 1), np.count_nonzero(held == 2)
    return min(float(rows), table.held + once * (once - 1) / (2 * (twice + 1)))


def sampled(words: Sequence[Words]) -> list[Words]:
    """Some of the rows, evenly."""
    step = max(1, len(words[0]) // SAMPLE)
    return [word[::step].copy() for word in words]


def dense(words: Sequence[Words], keys: Fields) -> Counts:
    """By key, for all keys there can be."""
    from lookalike.tables.packed.row_kernels import count_dense

    shared = chunks(len(words[0]))

    def counted(_: int) -> Counts:
        counts = np.zeros(keys.most + 1, np.int64)
        for start, end in shared:
            count_dense(*block(words, start, end), keys.lines, keys.add, counts)
        return counts

    found: Counts = np.sum(each(counted, range(threads())), axis=0, dtype=np.int64)
    return found


def _counted(
    words: Sequence[Words],
    keys: Fields,
    most: int,
    shared: Iterator[tuple[int, int]],
    bits: int = 13,
) -> _Table | None:
    from lookalike.tables.packed.row_kernels import count_hashed

    table = _Table(bits)
    for rows in shared:
        part, start, end = block(words, *rows)
        while start < end:
            table.held, start = count_hashed(
                part, start, end, keys.lines, keys.add, table.lines, table.up, table.held
            )
            if table.held > most:
                for _ in shared:  # nothing is left for the others
                    pass
                return None
            if start < end:
                table.grow()
    return table


class _Table:
    """Keys and counts, by hash."""

    def __init__(self, bits: int) -> None:
        self.bits, self.held = bits, 0
        self.lines = np.zeros((1 << self.bits, 2), np.uint64)

    @property
    def up(self) -> np.uint64:
        return np.uint64(64 - self.bits)

    def grow(self) -> None:
        from lookalike.tables.packed.row_kernels import pour

        self.bits += 2 if self.bits < 18 else 1
        old, self.lines = self.lines, np.zeros((1 << self.bits, 2), np.uint64)
        pour(old, self.lines, self.up, 0)

    def take(self, other: _Table) -> None:
        from lookalike.tables.packed.row_kernels import pour

        while 4 * (self.held + other.held) > 3 * len(self.lines):
            self.grow()
        self.held = pour(other.lines, self.lines, self.up, self.held)
        other.lines = other.lines[:0]

    def sorted(self) -> tuple[Words, Counts]:
        from lookalike.tables.packed.row_kernels import counts_of, keys_of

        keys = np.empty(self.held, np.uint64)
        keys_of(self.lines, keys)
        keys = sort_words(keys)
        counts = np.empty(self.held, np.int64)
        each(
            lambda part: counts_of(self.lines, self.up, keys[slice(*part)], counts[slice(*part)]),
            chunks(self.held),
        )
        return keys, counts
