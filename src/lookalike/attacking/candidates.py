"""Which released tuples fit which people: by a join, or by bitmaps where labels overlap.

A join goes over the columns in which at most one label fits each value, and looks at the others
pair by pair. Where that would be too many pairs, each column has a bitmap over the released tuples
for each kind of value, and a person's tuples are the AND of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.labels.column_match import Fit, spans
from lookalike.counts.tuple_keys import numbered_tuples

Whole = NDArray[np.int64]
Bits = NDArray[np.uint8]
PAIR = 25  # a pair of a join takes as long as so many bits of a bitmap
PAIRS = 1 << 21  # of a join at a time
BYTES = 1 << 22  # of bitmaps at a time
HELD = 1 << 26  # bytes of a column's bitmaps that are kept
_PLACES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.bool_)


@dataclass(frozen=True, slots=True)
class Chunk:
    """All pairs of the people from ``first`` up to, not including, ``end``."""

    first: int
    end: int
    person: Whole  # (pairs,) rising
    tuple: Whole  # (pairs,) rising for each person


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """People as kinds of values, released tuples as labels, and what fits column by column."""

    fits: Sequence[Fit]
    people: Whole  # (people, columns) kinds
    released: Whole  # (tuples, columns) labels

    def chunks(self, by: str = "") -> Iterator[Chunk]:
        """``by`` is ``join`` or ``bitmaps``; if not said, what is quicker."""
        joined = _Join(self)
        cheap = joined.pairs * PAIR <= len(self.people) * len(self.released)
        if by == "join" or (not by and cheap):
            yield from joined.chunks()
        else:
            yield from self._by_bitmaps()

    def _by_bitmaps(self) -> Iterator[Chunk]:
        columns = [_Bitmaps(fit, self.released[:, at]) for at, fit in enumerate(self.fits)]
        width = -(-len(self.released) // 8)
        step = max(1, BYTES // max(1, width))
        for first in range(0, len(self.people), step):
            end = min(first + step, len(self.people))
            bits = np.full((end - first, width), 255, dtype=np.uint8)
            for column, kinds in zip(columns, self.people[first:end].T, strict=True):
                bits &= column.of(kinds)
            person, place = _set_bits(bits)
            yield Chunk(first, end, person + first, place)


class _Join:
    def __init__(self, asked: Candidates) -> None:
        self.asked = asked
        single = [fit.single for fit in asked.fits]
        self.others = [at for at, one in enumerate(single) if not one]
        keys = [at for at, one in enumerate(single) if one]
        wanted = [asked.fits[at].only_label()[asked.people[:, at]] for at in keys]
        there = [asked.released[:, at] for at in keys]
        both = [np.concatenate([w + 1, t + 1]) for w, t in zip(wanted, there, strict=True)]
        people = len(asked.people)
        of, _ = numbered_tuples(both, people + len(asked.released))
        self.order = np.argsort(of[people:], kind="stable")
        held = of[people:][self.order]
        self.start = np.searchsorted(held, of[:people], side="left")
        self.lengths = np.searchsorted(held, of[:people], side="right") - self.start
        self.pairs = int(self.lengths.sum())

    def chunks(self) -> Iterator[Chunk]:
        looks = [(at, self.asked.fits[at].lookup()) for at in self.others]
        ends = np.cumsum(self.lengths)
        first = 0
        while first < len(ends):
            before = int(ends[first - 1]) if first else 0
            end = max(first + 1, int(np.searchsorted(ends, before + PAIRS, side="right")))
            lengths = self.lengths[first:end]
            person = np.repeat(np.arange(first, end), lengths)
            place = self.order[spans(self.start[first:end], lengths)]
            for at, look in looks:
                fits = look(self.asked.people[person, at], self.asked.released[place, at])
                person, place = person[fits], place[fits]
            yield Chunk(first, end, person, place)
            first = end


class _Bitmaps:
    """One column: a bitmap over the released tuples for each kind of value."""

    def __init__(self, fit: Fit, labels: Whole) -> None:
        self.fit, self.labels = fit, labels
        self.kept: Bits | None = None
        if fit.kinds * (len(labels) + 7) // 8 <= HELD:
            self.kept = self._made(np.arange(fit.kinds))

    def of(self, kinds: Whole) -> Bits:
        if self.kept is not None:
            return self.kept[kinds]
        asked, of = np.unique(kinds, return_inverse=True)
        return self._made(asked)[of.reshape(-1)]

    def _made(self, kinds: Whole) -> Bits:
        bits = np.empty((len(kinds), -(-len(self.labels) // 8)), dtype=np.uint8)
        step = max(1, BYTES // max(1, len(self.labels), self.fit.labels))
        for first in range(0, len(kinds), step):
            fits = self.fit.rows(kinds[first : first + step])[:, self.labels]
            bits[first : first + step] = np.packbits(fits, axis=1)
        return bits


def _set_bits(bits: Bits) -> tuple[Whole, Whole]:
    """Row and place of each bit that is set; most bytes are empty, and are passed over.

    What pads the last byte is never set: each column's bitmaps have zeros there.
    """
    row, byte = np.nonzero(bits)
    set_here = _PLACES[bits[row, byte]]
    at, bit = np.nonzero(set_here)
    return row[at], byte[at] * 8 + bit
