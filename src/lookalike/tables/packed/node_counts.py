"""Nodes of the lattice counted from codes: a level of a column is a table of what each becomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import Node
from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.column_codes import Codes
from lookalike.tables.packed.sorting import sort_words

ALL = 1 << 62
PARTS = 8
COUNTED = 3_000_000  # groups that are counted at once
WORD = 64


class CodedFar:
    """See ``RemoteCounts``. ``held`` gives the codes; they are read again if they were freed."""

    def __init__(
        self, held: Callable[[], Codes], columns: FrequencySet, tables: Sequence[LevelTable]
    ) -> None:
        self.held, self.columns, self.tables = held, columns, tables
        bits = [max(0, table.leaves - 1).bit_length() for table in tables]
        if sum(bits) > WORD:
            raise OverflowError("the columns take more than a word")
        wider = sorted(range(len(bits)), key=lambda a: -tables[a].leaves)  # lowest in the key, so
        self.shifts = [0] * len(bits)  # that groups come in the order in which they are counted on
        for at, a in enumerate(wider):
            self.shifts[a] = sum(bits[b] for b in wider[:at])
        self.masks = [(1 << one) - 1 for one in bits]
        codes = held()
        self.rows, self.sample = codes.rows, codes.sampled()
        self.places = [codes.names.index(name) for name in columns.names]
        self.guessed: dict[Node, float] = {}
        self.known: dict[Node, tuple[Words, NDArray[np.int64]]] = {}

    def at(self, levels: Node) -> FrequencySet:
        found = self.known.pop(levels, None) or self._counted(levels, ALL)
        assert found is not None
        keys, counts = found
        leaves = np.empty((len(keys), len(self.tables)), dtype=np.int32)
        for a, (table, level) in enumerate(zip(self.tables, levels, strict=True)):
            codes = (keys >> np.uint64(self.shifts[a])) & np.uint64(self.masks[a])
            used, first = np.unique(table.codes[:, level], return_index=True)
            leaf = np.zeros(max(1, int(used.max(initial=0)) + 1), dtype=np.int32)
            leaf[used] = first
            leaves[:, a] = leaf[codes.astype(np.int64)]
        return replace(self.columns, codes=leaves, counts=counts)

    def alone(self, levels: Node, fewer: int, enough: int) -> int:
        """Too many keys to be counted are parted by some bits of a hash, and sorted by part."""
        from lookalike.tables.packed.row_kernels import rows_in_short_runs

        if (counted := self._counted(levels, COUNTED)) is not None:
            self.known = {levels: counted}
            return int(counted[1][counted[1] < fewer].sum())
        codes = self.held()
        luts = self._key(codes, levels)
        found = 0
        for part in range(PARTS):
            keys = sort_words(codes.keys_of_part(luts, part, PARTS))
            found += int(rows_in_short_runs(keys, fewer))
            if found > enough:
                break
        return found

    def guess(self, nodes: Sequence[Node]) -> list[float]:
        for node in nodes:
            if node not in self.guessed:
                self.guessed[node] = self._guess(node)
        return [self.guessed[node] for node in nodes]

    def _guess(self, node: Node) -> float:
        codes = self.held()
        return codes.likely_groups(self._key(codes, node), self.sample)

    def groups(self, levels: Node, most: int) -> int:
        found = self._counted(levels, most)
        if found is None:
            return most + 1
        self.known = {levels: found}  # which is most likely fetched next
        return len(found[0])

    def _counted(self, levels: Node, most: int) -> tuple[Words, NDArray[np.int64]] | None:
        codes = self.held()
        return codes.count(self._key(codes, levels), most)

    def _key(self, codes: Codes, levels: Node) -> list[Words | None]:
        """What each column adds to the key of a row at a node."""
        luts: list[Words | None] = [None] * len(codes.names)
        for place, table, level, up in zip(
            self.places, self.tables, levels, self.shifts, strict=True
        ):
            luts[place] = table.codes[:, level].astype(np.uint64) << np.uint64(up)
        return luts
