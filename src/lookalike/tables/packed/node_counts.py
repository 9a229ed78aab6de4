"""Count lattice nodes from packed rows: at each level, a column's codes become other codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import Node
from lookalike.tables.packed.bit_layout import BitLayout, Words
from lookalike.tables.packed.key_counts import Counted
from lookalike.tables.packed.packed_rows import PackedRows
from lookalike.tables.packed.sorting import count_sorted, sort_words

NO_LIMIT = 1 << 62
PARTS = 8  # in which keys are counted if they are too many for one hash table
MAX_HASHED_KEYS = 3_000_000


class PackedNodeCounts:
    """See ``RemoteCounts``. ``packed`` returns the rows; they are read again if they were freed."""

    def __init__(
        self, packed: Callable[[], PackedRows], columns: FrequencySet, tables: Sequence[LevelTable]
    ) -> None:
        self.packed, self.columns, self.tables = packed, columns, tables
        widest_first = sorted(range(len(tables)), key=lambda a: -tables[a].leaves)
        self.order = widest_first[::-1]  # the widest is lowest: the order of groups
        self.layout = BitLayout.for_sizes([tables[a].leaves for a in self.order])
        if self.layout.words > 1:
            raise OverflowError("the columns take more than a word")
        rows = packed()
        self.rows, self.sample = rows.rows, rows.sample()
        self.places = [rows.names.index(columns.names[a]) for a in self.order]
        self.estimates: dict[Node, float] = {}
        self.last: dict[Node, Counted] = {}  # the node counted last, which is likely fetched next

    def at(self, levels: Node) -> FrequencySet:
        counted = self.last.pop(levels, None) or self._count(levels, NO_LIMIT)
        assert counted is not None
        keys, counts = counted
        leaves = np.empty((len(keys), len(self.tables)), dtype=np.int32)
        for j, a in enumerate(self.order):
            used, first = np.unique(self.tables[a].codes[:, levels[a]], return_index=True)
            leaf = np.zeros(int(used.max(initial=0)) + 1, dtype=np.int32)
            leaf[used] = first
            leaves[:, a] = leaf[self.layout.unpack([keys], j)]
        return replace(self.columns, codes=leaves, counts=counts)

    def small_group_rows(self, levels: Node, size: int, enough: int) -> int:
        """Too many keys are divided by some bits of a hash, and sorted part by part."""
        if (counted := self._count(levels, MAX_HASHED_KEYS)) is not None:
            self.last = {levels: counted}
            return int(counted[1][counted[1] < size].sum())
        packed = self.packed()
        luts = self._key_luts(packed, levels)
        total = 0
        for part in range(PARTS):
            keys = sort_words(packed.keys_of_part(luts, part, PARTS))
            _, counts = count_sorted([keys])
            total += int(counts[counts < size].sum())
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

    def approximate_groups(self, levels: Node, max_groups: int) -> int:
        counted = self._count(levels, max_groups)
        if counted is None:
            return max_groups + 1
        self.last = {levels: counted}
        return len(counted[0])

    def _count(self, levels: Node, max_keys: int) -> Counted | None:
        packed = self.packed()
        return packed.count(self._key_luts(packed, levels), max_keys)

    def _key_luts(self, packed: PackedRows, levels: Node) -> list[Words | None]:
        """What each column adds to the key of a row at a node."""
        codes = [self.tables[a].codes[:, levels[a]] for a in self.order]
        return self.layout.luts(codes, self.places, len(packed.names))[0]
