"""Tuples as integers, such that a coarser tuple is the same integer without its lowest bits.

A leaf is numbered by its path from the top: which child of ``*``, which child of that, and so on
down to the value, with the coarsest step in the highest bits. So the code of a leaf at a level is
its number without the lowest bits, and all columns of a lattice node together are one mask: an
engine that has the numbers counts any node by ``GROUP BY number & mask``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import LevelTable

WORD_BITS = 62  # integers are signed in every engine, and one bit is spare
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    word: int  # the integer that has its bits
    number: Whole  # (leaves,) the number of each leaf, in its place in the word
    mask: tuple[int, ...]  # for each level, the bits that stay
    sorted: Whole  # the numbers, ascending
    leaf: Whole  # (leaves,) the leaf of each of the sorted numbers


class BitCodes:
    """The numbers of all leaves, for the level tables of a problem."""

    def __init__(self, tables: Sequence[LevelTable]) -> None:
        self.columns: list[_Column] = []
        word, used = 0, 0
        for table in tables:
            number, cut, bits = _numbered(table)
            if bits > WORD_BITS:
                raise OverflowError(f"{table.name}: its hierarchy needs {bits} bits")
            if used + bits > WORD_BITS:
                word, used = word + 1, 0
            number = number << used
            order = np.argsort(number, kind="stable")
            masks = tuple((((1 << bits) - 1) >> low << low) << used for low in cut)
            self.columns.append(_Column(word, number, masks, number[order], order))
            used += bits
        self.words = word + 1

    def masks(self, levels: Sequence[int]) -> tuple[int, ...]:
        """The mask of each word, for a lattice node."""
        masks = [0] * self.words
        for column, level in zip(self.columns, levels, strict=True):
            masks[column.word] |= column.mask[level]
        return tuple(masks)

    def leaves(self, words: Sequence[Whole], levels: Sequence[int]) -> NDArray[np.int32]:
        """(groups, columns) for masked words, the first leaf of each code."""
        leaves = np.empty((len(words[0]), len(self.columns)), dtype=np.int32)
        for a, (column, level) in enumerate(zip(self.columns, levels, strict=True)):
            if not len(column.leaf):
                continue
            at = np.searchsorted(column.sorted, words[column.word] & column.mask[level])
            leaves[:, a] = column.leaf[np.minimum(at, len(column.leaf) - 1)]
        return leaves


def _numbered(table: LevelTable) -> tuple[Whole, list[int], int]:
    """The path of each leaf as a number; for each level, the low bits it drops; all bits."""
    number = np.zeros(table.leaves, dtype=np.int64)
    widths = []
    for level in range(table.height - 1, -1, -1):
        above, here = table.codes[:, level + 1].astype(np.int64), table.codes[:, level]
        pairs = sorted(set(zip(above.tolist(), here.tolist(), strict=True)))
        child: dict[tuple[int, int], int] = {}
        last: dict[int, int] = {}
        for parent, code in pairs:
            child[parent, code] = last[parent] = last.get(parent, -1) + 1
        bits = max(last.values(), default=0).bit_length()
        each = [child[pair] for pair in zip(above.tolist(), here.tolist(), strict=True)]
        number = (number << bits) | np.array(each, dtype=np.int64).reshape(-1)
        widths.append(bits)
    widths.reverse()  # by level now, the finest first
    cut = [sum(widths[:level]) for level in range(table.height + 1)]
    return number, cut, sum(widths)
