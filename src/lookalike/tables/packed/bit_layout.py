"""Bit layout of packed rows: in which word each column's code is, how far up, and how wide.

The first column takes the highest bits of the first word, so that words sort as rows do. A column
never spans two words; the unused bits of a word are its highest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WORD_BITS = 64
Words = NDArray[np.uint64]
Luts = Sequence[Words | None]  # by column: what each of its codes adds to a key; None: nothing


@dataclass(frozen=True, slots=True)
class BitLayout:
    """``bits``, ``shift`` and ``word`` of each column; the number of ``words``, at least one."""

    bits: tuple[int, ...]
    shift: tuple[int, ...]
    word: tuple[int, ...]
    words: int

    @classmethod
    def for_sizes(cls, sizes: Sequence[int]) -> BitLayout:
        """The layout for columns with these numbers of distinct values."""
        bits = [max(0, size - 1).bit_length() for size in sizes]
        word, free = [0] * len(bits), WORD_BITS
        for j, width in enumerate(bits):
            if j:
                word[j] = word[j - 1] + (width > free)
                free = WORD_BITS if width > free else free
            free -= width
        shift = [
            sum(bits[i] for i in range(j + 1, len(bits)) if word[i] == word[j])
            for j in range(len(bits))
        ]
        shift = [min(up, WORD_BITS - 1) for up in shift]  # a column of no bits may be above all
        return cls(tuple(bits), tuple(shift), tuple(word), max(word, default=0) + 1)

    def luts(self, codes: Sequence[NDArray[np.int64]]) -> list[list[Words | None]]:
        """By word: what each column adds to it if its code ``i`` becomes ``codes[column][i]``."""
        return [
            [
                code.astype(np.uint64) << np.uint64(shift) if at == word else None
                for code, shift, at in zip(codes, self.shift, self.word, strict=True)
            ]
            for word in range(self.words)
        ]

    def unpack(self, words: Sequence[Words], column: int) -> NDArray[np.int32]:
        """The codes of a column."""
        mask = np.uint64((1 << self.bits[column]) - 1)
        code = (words[self.word[column]] >> np.uint64(self.shift[column])) & mask
        return code.astype(np.int32)
