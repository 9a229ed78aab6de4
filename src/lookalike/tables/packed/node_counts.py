"""Count lattice nodes from packed rows: at each level, a column's codes become other codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import Node
from lookalike.tables.packed.bit_layout import WORD_BITS, Words
from lookalike.tables.packed.packed_rows import PackedRows
from lookalike.tables.packed.sorting import sort_words

NO_LIMIT = 1 << 62
PARTS = 8  # in which keys are counted if they are too many for one hash table
MAX_HASHED_KEYS = 3_000_000
Counted = tuple[Words, NDArray[np.int64]]  # keys, and the rows of each


class PackedNodeCounts:
    """See ``RemoteCounts``. ``packed`` returns the rows; they are read again if they were freed."""

    def __init__(
        self, packed: Callable[[], PackedRows], columns: FrequencySet, tables: Sequence[LevelTable]
    ) -> None:
        self.packed, self.columns, self.tables = packed, columns, tables
        bits = [max(0, table.leaves - 1).bit_length() for table in tables]
        if sum(bits) > WORD_BITS:
            raise OverflowError("the columns take more than a word")
        widest_first = sorted(range(len(bits)), key=lambda a: -tables[a].leaves)
        self.shifts = [0] * len(bits)  # the widest is lowest: the order in which groups are counted
        for at, a in enumerate(widest_first):
            self.shifts[a] = sum(bits[b] for b in widest_first[:at])
        self.masks = [(1 << width) - 1 for width in bits]
        rows = packed()
        self.rows, self.sample = rows.rows, rows.sample()
        self.places = [rows.names.index(name) for name in columns.names]
        self.estimates: dict[Node, float] = {}
        self.last: dict[Node, Counted] = {}  # the node counted last, which is likely fetched next

    def at(self, levels: Node) -> FrequencySet:
        counted = self.last.pop(levels, None) or self._count(levels, NO_LIMIT)
        assert counted is not None
        keys, counts = counted
        leaves = np.empty((len(keys), len(self.tables)), dtype=np.int32)
        for a, (table, level) in enumerate(zip(self.tables, levels, strict=True)):
            codes = (keys >> np.uint64(self.shifts[a])) & np.uint64(self.masks[a])
            used, first = np.unique(table.codes[:, level], return_index=True)
            leaf = np.zeros(max(1, int(used.max(initial=0)) + 1), dtype=np.int32)
            leaf[used] = first
            leaves[:, a] = leaf[codes.astype(np.int64)]
        return replace(self.columns, codes=leaves, counts=counts)

    def small_group_rows(self, levels: Node, fewer: int, enough: int) -> int:
        """Too many keys are divided by some bits of a hash, and sorted part by part."""
        from lookalike.tables.packed.row_kernels import rows_in_short_runs

        if (counted := self._count(levels, MAX_HASHED_KEYS)) is not None:
            self.last = {levels: counted}
            return int(counted[1][counted[1] < fewer].sum())
        packed = self.packed()
        luts = self._key_luts(packed, levels)
        total = 0
        for part in range(PARTS):
            keys = sort_words(packed.keys_of_part(luts, part, PARTS))
            total += int(rows_in_short_runs(keys, fewer))
            if total > enough:
                break
        return total

    def sampled_groups(self, nodes: Sequence[Node]) -> list[float]:
        for node in nodes:
            if node not in self.estimates:
                packed = self.packed()
                luts = self._key_luts(packed, node)
                self.estimates[node] = packed.estimate_groups(luts, self.sample)
        return [self.estimates[node] for node in nodes]

    def approximate_groups(self, levels: Node, most: int) -> int:
        counted = self._count(levels, most)
        if counted is None:
            return most + 1
        self.last = {levels: counted}
        return len(counted[0])

    def _count(self, levels: Node, max_keys: int) -> Counted | None:
        packed = self.packed()
        return packed.count(self._key_luts(packed, levels), max_keys)

    def _key_luts(self, packed: PackedRows, levels: Node) -> list[Words | None]:
        """What each column adds to the key of a row at a node."""
        luts: list[Words | None] = [None] * len(packed.names)
        for place, table, level, shift in zip(
            self.places, self.tables, levels, self.shifts, strict=True
        ):
            luts[place] = table.codes[:, level].astype(np.uint64) << np.uint64(shift)
        return luts
