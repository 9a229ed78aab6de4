"""Rows packed into words: for each cell the position of its value among the column's values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.packed.bit_layout import BitLayout, Luts, Words
from lookalike.tables.packed.code_replacement import KeySet, replace_codes
from lookalike.tables.packed.key_counts import count_dense, count_keys, estimate_keys, sample_rows
from lookalike.tables.packed.key_fields import join_fields
from lookalike.tables.packed.threads import block, chunks, run_in_threads


@dataclass(frozen=True, slots=True, eq=False)
class PackedRows:
    """``values``: a sorted pyarrow array a column, null last. ``words``: the rows, packed."""

    names: tuple[str, ...]
    values: tuple[Any, ...]
    layout: BitLayout
    rows: int
    words: list[Words]

    def marginal(self, column: int) -> NDArray[np.int64]:
        """The rows of each value of a column."""
        size = len(self.values[column])
        [luts] = BitLayout.for_sizes([size]).luts([np.arange(size)], [column], len(self.names))
        return count_dense(self.words, join_fields(self.layout, luts))[:size]

    def count(self, luts: Luts, max_keys: int) -> tuple[Words, NDArray[np.int64]] | None:
        """The sorted distinct keys of the rows, and the rows of each; None above ``max_keys``.

        A row's key is the sum of ``luts[column][code]`` over the columns that are not None.
        """
        return count_keys(self.words, join_fields(self.layout, luts), max_keys)

    def sample(self) -> list[Words]:
        """Some of the rows, evenly spread."""
        return sample_rows(self.words)

    def estimate_groups(self, luts: Luts, sample: Sequence[Words]) -> float:
        """The estimated number of distinct keys, from a sample of the rows."""
        return estimate_keys(sample, join_fields(self.layout, luts), self.rows)

    def keys_of_part(self, luts: Luts, part: int, parts: int) -> Words:
        """The keys of the rows in one of ``parts`` parts (a power of two), divided by a hash."""
        from lookalike.tables.packed.row_kernels import keys_of_part

        keys = join_fields(self.layout, luts)

        def select(rows: slice) -> Words:
            out = np.empty(rows.stop - rows.start + 1, np.uint64)
            size = keys_of_part(
                *block(self.words, rows), keys.kernel, np.uint64(part),
                np.uint64(parts - 1), out,
            )  # fmt: skip
            return out[:size].copy()

        return np.concatenate([np.zeros(0, np.uint64), *run_in_threads(select, chunks(self.rows))])

    def recode(
        self,
        luts: Sequence[Luts],
        key_luts: Luts,
        suppressed: Words,
        starred: Sequence[Luts] | None = None,
    ) -> tuple[Words, ...]:
        """New words, one for each of ``luts``, in the order of the rows.

        A row whose key by ``key_luts`` is among ``suppressed`` (sorted, distinct) is left out, or
        gets its words from ``starred``. The result overwrites these words: this object is empty
        afterwards.
        """
        new = [join_fields(self.layout, lut) for lut in luts]
        star = None if starred is None else [join_fields(self.layout, lut) for lut in starred]
        keys = join_fields(self.layout, key_luts)
        words = replace_codes(self.words, new, keys, KeySet.build(suppressed), star)
        self.words.clear()
        return words
