"""A table as codes: for each row and column the place of the cell among the column's values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.packed.bit_layout import Layout, Luts, Words
from lookalike.tables.packed.code_replacement import Gone, recode
from lookalike.tables.packed.key_counts import count, dense, likely_groups, sampled
from lookalike.tables.packed.key_fields import fields
from lookalike.tables.packed.threads import block, chunks, each


@dataclass(frozen=True, slots=True, eq=False)
class Codes:
    """``values``: a pyarrow array a column, rising, null last. ``words``: the rows, packed."""

    names: tuple[str, ...]
    values: tuple[Any, ...]
    layout: Layout
    rows: int
    words: list[Words]

    def marginals(self) -> list[NDArray[np.int64]]:
        """By column and value, rows."""
        return [self.marginal(j) for j in range(len(self.names))]

    def marginal(self, column: int) -> NDArray[np.int64]:
        """By value, rows."""
        size = len(self.values[column])
        luts: list[Words | None] = [None] * len(self.names)
        luts[column] = np.arange(size, dtype=np.uint64)
        return dense(self.words, fields(self.layout, luts))[:size]

    def count(self, luts: Luts, most: int) -> tuple[Words, NDArray[np.int64]] | None:
        """The distinct keys of the rows, rising, and the rows of each; None if more than ``most``.

        A row's key is the sum of ``luts[column][code]`` over the columns that are not None.
        """
        return count(self.words, fields(self.layout, luts), most)

    def sampled(self) -> list[Words]:
        """Some of the rows, evenly."""
        return sampled(self.words)

    def likely_groups(self, luts: Luts, sample: Sequence[Words]) -> float:
        """About how many keys there are, from a sample of the rows."""
        return likely_groups(sample, fields(self.layout, luts), self.rows)

    def keys_of_part(self, luts: Luts, part: int, parts: int) -> Words:
        """The keys of the rows, those of one part of a power of two: they are parted by a hash."""
        from lookalike.tables.packed.row_kernels import keys_of_part

        keys = fields(self.layout, luts)

        def chosen(rows: tuple[int, int]) -> Words:
            out = np.empty(rows[1] - rows[0] + 1, np.uint64)
            held = keys_of_part(
                *block(self.words, *rows), keys.lines, keys.add,
                np.uint64(part), np.uint64(parts - 1), out,
            )  # fmt: skip
            return out[:held].copy()

        return np.concatenate([np.zeros(0, np.uint64), *each(chosen, chunks(self.rows))])

    def recoded(
        self,
        luts: Sequence[Luts],
        key_luts: Luts,
        gone: Words,
        starred: Sequence[Luts] | None = None,
        reuse: bool = False,
    ) -> tuple[Words, ...]:
        """New words, one for each of ``luts``, in the order of the rows.

        A row whose key by ``key_luts`` is ``gone`` (rising, each once) is left out, or takes its
        words by ``starred`` instead. With ``reuse`` the result takes the place of these words, and
        the codes are empty afterwards.
        """
        new = [fields(self.layout, each) for each in luts]
        star = None if starred is None else [fields(self.layout, each) for each in starred]
        keys = fields(self.layout, key_luts)
        found = recode(self.words, new, Gone.of(keys, gone), star, reuse)
        if reuse:
            self.free()
        return found

    def free(self) -> None:
        """Let go of the words; after that only names and values are left."""
        self.words.clear()
