"""What each column adds to a row's key, in the form that the kernels take: fields of bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lookalike.tables.packed.bit_layout import WORD_BITS, BitLayout, Luts, Words

MAX_JOINED_BITS = 12  # of neighboring columns in one field: its sums stay in the nearest cache


class Fields(NamedTuple):
    """A key is the sum of what each field adds; without fields, the key is the word itself."""

    lines: Words  # (fields, 4): word, shift, mask, begin in ``add``
    add: Words  # what each code of each field adds, one field after the other


class KeyFields(NamedTuple):
    """The fields of a key, for the kernels, and the largest key that they can make."""

    kernel: Fields
    max_key: int


@dataclass(slots=True, eq=False)
class _Field:
    word: int
    shift: int
    bits: int
    add: Words


WORD_ITSELF = KeyFields(
    Fields(np.zeros((0, 4), np.uint64), np.zeros(1, np.uint64)), (1 << WORD_BITS) - 1
)


def join_fields(layout: BitLayout, luts: Luts) -> KeyFields:
    """The fields of a key; small neighboring columns are joined into one field.

    A column's lut has an entry for each of its codes.
    """
    fields = [_Field(0, 0, 0, np.zeros(1, np.uint64))]
    for j, lut in enumerate(luts):
        if lut is None:
            continue
        bits = layout.bits[j]
        add = np.zeros(1 << bits, np.uint64)  # an entry for all that the bits can hold
        add[: len(lut)] = lut[: 1 << bits]
        field, last = _Field(layout.word[j], layout.shift[j], bits, add), fields[-1]
        if last.bits == 0:  # adds the same to all keys
            field.add = field.add + last.add[0]
            fields[-1] = field
        elif (last.word, last.shift) == (field.word, field.shift + bits) and (
            last.bits + bits <= MAX_JOINED_BITS or bits == 0
        ):
            joined = (last.add[:, None] + field.add).reshape(-1)
            fields[-1] = _Field(field.word, field.shift, last.bits + bits, joined)
        else:
            fields.append(field)
    begins = np.cumsum([0] + [len(field.add) for field in fields])
    lines = [
        (field.word, field.shift, (1 << field.bits) - 1, begin)
        for field, begin in zip(fields, begins.tolist(), strict=False)
    ]
    max_key = sum(int(field.add.max()) for field in fields)
    add = np.concatenate([field.add for field in fields])
    return KeyFields(Fields(np.array(lines, np.uint64), add), max_key)
