"""Where each column's code sits: in which word, how far up, how wide.

The first column takes the highest bits of the first word, so that words sort as rows do. A column
never straddles two words; the bits that are left over in a word are its highest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WORD = 64
Words = NDArray[np.uint64]
Luts = Sequence[Words | None]  # a column: what each of its codes adds; None: the column is ignored


@dataclass(frozen=True, slots=True)
class Layout:
    """``bits``, ``shift`` and ``word`` of each column; ``words`` in all, at least one."""

    bits: tuple[int, ...]
    shift: tuple[int, ...]
    word: tuple[int, ...]
    words: int

    @classmethod
    def of(cls, sizes: Sequence[int]) -> Layout:
        """For columns of so many distinct values each."""
        bits = [max(0, size - 1).bit_length() for size in sizes]
        word, room = [0] * len(bits), WORD
        for j, wide in enumerate(bits):
            if j:
                word[j] = word[j - 1] + (wide > room)
                room = WORD if wide > room else room
            room -= wide
        shift = [
            sum(
                wide for wide, at in zip(bits[j + 1 :], word[j + 1 :], strict=True) if at == word[j]
            )
            for j in range(len(bits))
        ]
        shift = [min(up, WORD - 1) for up in shift]  # a column of no bits may be above them all
        return cls(tuple(bits), tuple(shift), tuple(word), max(word, default=0) + 1)

    def luts(self, codes: Sequence[NDArray[np.int64]]) -> list[list[Words | None]]:
        """A word: what each column adds to it whose code ``i`` becomes ``codes[column][i]``."""
        return [
            [
                code.astype(np.uint64) << np.uint64(shift) if at == word else None
                for code, shift, at in zip(codes, self.shift, self.word, strict=True)
            ]
            for word in range(self.words)
        ]

    def unpack(self, words: Sequence[Words], column: int) -> NDArray[np.int32]:
        """A column's codes."""
        mask = np.uint64((1 << self.bits[column]) - 1)
        code = (words[self.word[column]] >> np.uint64(self.shift[column])) & mask
        return code.astype(np.int32)
