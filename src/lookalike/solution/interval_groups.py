"""Intervals that are groups of the hierarchy: they show the name of the group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookalike.counts.level_table import TOP, LevelTable

MISSING = " or missing"  # after the label of an interval that holds the nulls too
KNOWN = "not missing"  # every value except null
INTERVAL_STARTS = ("{", "(")  # how labels made for intervals begin


class Groups:
    """The groups of one column, for the values that occur; ``low`` is the finest level shown."""

    def __init__(self, table: LevelTable, low: int) -> None:
        self.table, self.low = table, low
        self.sizes = [
            np.bincount(table.codes[:, level], minlength=len(table.labels[level]))
            for level in range(table.height + 1)
        ]
        self.groups_named: dict[str, set[tuple[int, int]]] = {}
        for level in range(table.height):
            codes, first = np.unique(table.codes[:, level], return_index=True)
            for code, leaf in zip(codes.tolist(), first.tolist(), strict=True):
                name = table.labels[level][code]
                if name is not None:  # groups nest: a leaf and a size identify one
                    same_name = self.groups_named.setdefault(name, set())
                    same_name.add((leaf, int(self.sizes[level][code])))

    def name(self, leaves: Sequence[int]) -> str | None:
        """The name of the smallest group with exactly these values, if no other group has it."""
        for level in range(self.low + 1, self.table.height):
            codes = self.table.codes[list(leaves), level]
            if len(codes) and self.sizes[level][codes[0]] == len(codes):
                name = self.table.labels[level][codes[0]]
                same = bool((codes == codes[0]).all())
                return name if same and name is not None and self._is_unambiguous(name) else None
        return None

    def name_of_all(self) -> str:
        """What a column in one interval shows: ``*``, unless the name of a group says more."""
        table = self.table
        for level in range(self.low + 1, table.height):
            if len(np.unique(table.codes[:, level])) == 1:
                says_more = table.leaves_under[level][table.codes[0, level]] < table.declared
                name = self.name(range(table.leaves))
                return name if says_more and name is not None else TOP
        return TOP

    def _is_unambiguous(self, name: str) -> bool:
        reserved = name.startswith(INTERVAL_STARTS) or name.endswith(MISSING)
        return len(self.groups_named[name]) == 1 and not reserved and name not in (TOP, KNOWN)
