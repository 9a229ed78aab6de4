"""What each column adds to a key, as the kernels take it: small neighbours as one field."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.tables.packed.bit_layout import Layout, Luts, Words

JOINED = 12  # bits of a field of several columns: its part of the sums stays in the nearest cache


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    lines: Words  # (fields, 4): word, shift, mask, begin in ``add``
    add: Words
    most: int  # no key is larger


@dataclass(slots=True, eq=False)
class _Field:
    word: int
    shift: int
    bits: int
    add: Words


def fields(layout: Layout, luts: Luts) -> Fields:
    """Of columns packed so; a column's lut has an entry for each of its codes."""
    found = [_Field(0, 0, 0, np.zeros(1, np.uint64))]
    for j, lut in enumerate(luts):
        if lut is None:
            continue
        one = _Field(layout.word[j], layout.shift[j], layout.bits[j], _padded(lut, layout.bits[j]))
        last = found[-1]
        if last.bits == 0:  # adds the same to all keys
            one.add = one.add + last.add[0]
            found[-1] = one
        elif (last.word, last.shift) == (one.word, one.shift + one.bits) and (
            last.bits + one.bits <= JOINED or one.bits == 0
        ):
            joined = (last.add[:, None] + one.add).reshape(-1)
            found[-1] = _Field(one.word, one.shift, last.bits + one.bits, joined)
        else:
            found.append(one)
    begins = np.cumsum([0] + [len(one.add) for one in found])
    lines = [
        (one.word, one.shift, (1 << one.bits) - 1, begin)
        for one, begin in zip(found, begins.tolist(), strict=False)
    ]
    most = sum(int(one.add.max()) for one in found)
    return Fields(np.array(lines, np.uint64), np.concatenate([one.add for one in found]), most)


def itself() -> Fields:
    """The key is the word."""
    return Fields(np.zeros((0, 4), np.uint64), np.zeros(1, np.uint64), (1 << 64) - 1)


def _padded(lut: Words, bits: int) -> Words:
    """Just as many entries as the bits can say, so that no row reads beyond them."""
    whole = np.zeros(1 << bits, np.uint64)
    whole[: len(lut)] = lut[: 1 << bits]
    return whole
