"""Bit layout of packed rows: in which word each column's code is, how far up, and how wide.

The first column takes the highest bits of the first word, so that words sort as rows do. A column
never spans two words; the unused bits of a word are its highest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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

    def luts(
        self, codes: Sequence[NDArray[Any]], places: Sequence[int], columns: int
    ) -> list[list[Words | None]]:
        """By word of this layout, and by column of other rows: what each of their codes adds.

        Column j of this layout is made of the column ``places[j]`` of the ``columns`` of the other
        rows, whose code ``i`` becomes ``codes[j][i]``.
        """
        by_word: list[list[Words | None]] = [[None] * columns for _ in range(self.words)]
        for code, place, word, shift in zip(codes, places, self.word, self.shift, strict=True):
            by_word[word][place] = code.astype(np.uint64) << np.uint64(shift)
        return by_word

    def unpack(self, words: Sequence[Words], column: int) -> NDArray[np.int32]:
        """The codes of a column."""
        mask = np.uint64((1 << self.bits[column]) - 1)
        code = (words[self.word[column]] >> np.uint64(self.shift[column])) & mask
        return code.astype(np.int32)
