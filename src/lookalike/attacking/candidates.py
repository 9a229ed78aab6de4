"""Find which released tuples fit which people: by a join, or by bitmaps where labels overlap.

The join uses the columns in which at most one label fits each value, and checks the other columns
pair by pair. If that gives too many pairs, each column has a bitmap over the released tuples for
each kind of value, and the tuples of a person are the AND of these bitmaps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.labels.column_match import ColumnMatch, spans
from lookalike.counts.tuple_keys import numbered_tuples

Whole = NDArray[np.int64]
Bits = NDArray[np.uint8]
PAIR_COST = 25  # bits of a bitmap that take as long as one pair of a join
MAX_PAIRS = 1 << 21  # of a join at a time
CHUNK_BYTES = 1 << 22  # of bitmaps at a time
MAX_BITMAP_BYTES = 1 << 26  # bytes of the bitmaps of a column that are kept
_PLACES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.bool_)


@dataclass(frozen=True, slots=True)
class PairChunk:
    """All pairs of the people from ``first`` to ``end`` - 1."""

    first: int
    end: int
    person: Whole  # (pairs,) ascending
    tuple: Whole  # (pairs,) ascending for each person


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """People as kinds of values, released tuples as labels, and which labels fit in each column."""

    fits: Sequence[ColumnMatch]
    people: Whole  # (people, columns) kinds
    released: Whole  # (tuples, columns) labels

    def chunks(self) -> Iterator[PairChunk]:
        """The pairs that fit, by a join or by bitmaps, what is faster."""
        joined = _Join(self)
        cheap = joined.pairs * PAIR_COST <= len(self.people) * len(self.released)
        return joined.chunks() if cheap else self._by_bitmaps()

    def _by_bitmaps(self) -> Iterator[PairChunk]:
        columns = [_Bitmaps(fit, self.released[:, at]) for at, fit in enumerate(self.fits)]
        width = -(-len(self.released) // 8)
        step = max(1, CHUNK_BYTES // max(1, width))
        for first in range(0, len(self.people), step):
            end = min(first + step, len(self.people))
            bits = np.full((end - first, width), 255, dtype=np.uint8)
            for column, kinds in zip(columns, self.people[first:end].T, strict=True):
                bits &= column.of(kinds)
            person, place = _set_bits(bits)
            yield PairChunk(first, end, person + first, place)


class _Join:
    """Pairs that agree in the columns where at most one label fits each value."""

    def __init__(self, asked: Candidates) -> None:
        self.asked = asked
        self.others = [at for at, fit in enumerate(asked.fits) if not fit.single]
        both = []
        for at, fit in enumerate(asked.fits):
            if fit.single:
                wanted = fit.only_label()[asked.people[:, at]]
                both.append(np.concatenate([wanted, asked.released[:, at]]) + 1)
        people = len(asked.people)
        of, _ = numbered_tuples(both, people + len(asked.released))
        self.order = np.argsort(of[people:], kind="stable")
        held = of[people:][self.order]
        self.start = np.searchsorted(held, of[:people], side="left")
        self.lengths = np.searchsorted(held, of[:people], side="right") - self.start
        self.pairs = int(self.lengths.sum())

    def chunks(self) -> Iterator[PairChunk]:
        looks = [(at, self.asked.fits[at].lookup()) for at in self.others]
        ends = np.cumsum(self.lengths)
        first = 0
        while first < len(ends):
            before = int(ends[first - 1]) if first else 0
            end = max(first + 1, int(np.searchsorted(ends, before + MAX_PAIRS, side="right")))
            lengths = self.lengths[first:end]
            person = np.repeat(np.arange(first, end), lengths)
            place = self.order[spans(self.start[first:end], lengths)]
            for at, look in looks:
                fits = look(self.asked.people[person, at], self.asked.released[place, at])
                person, place = person[fits], place[fits]
            yield PairChunk(first, end, person, place)
            first = end


class _Bitmaps:
    """One column: a bitmap over the released tuples for each kind of value."""

    def __init__(self, fit: ColumnMatch, labels: Whole) -> None:
        self.fit, self.labels = fit, labels
        self.kept: Bits | None = None
        if fit.kinds * (len(labels) + 7) // 8 <= MAX_BITMAP_BYTES:
            self.kept = self._made(np.arange(fit.kinds))

    def of(self, kinds: Whole) -> Bits:
        if self.kept is not None:
            return self.kept[kinds]
        asked, of = np.unique(kinds, return_inverse=True)
        return self._made(asked)[of.reshape(-1)]

    def _made(self, kinds: Whole) -> Bits:
        bits = np.empty((len(kinds), -(-len(self.labels) // 8)), dtype=np.uint8)
        step = max(1, CHUNK_BYTES // max(1, len(self.labels), self.fit.labels))
        for first in range(0, len(kinds), step):
            fits = self.fit.rows(kinds[first : first + step])[:, self.labels]
            bits[first : first + step] = np.packbits(fits, axis=1)
        return bits


def _set_bits(bits: Bits) -> tuple[Whole, Whole]:
    """The row and place of each bit that is set; empty bytes, which are most, are skipped.

    The padding of the last byte is never set: the bitmaps of each column have zeros there.
    """
    row, byte = np.nonzero(bits)
    set_here = _PLACES[bits[row, byte]]
    at, bit = np.nonzero(set_here)
    return row[at], byte[at] * 8 + bit
