"""Intervals that are groups of the hierarchy: then the group's own name says it best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookalike.counts.level_table import TOP, LevelTable

MISSING = " or missing"  # after the label of an interval that holds the nulls too
KNOWN = "not missing"  # every value but the nulls
OURS = ("{", "(")  # how labels made for intervals begin


class Groups:
    """The groups of one column, of the values that occur; ``low`` is the finest level shown."""

    def __init__(self, table: LevelTable, low: int) -> None:
        self.table, self.low = table, low
        self.sizes = [
            np.bincount(table.codes[:, level], minlength=len(table.labels[level]))
            for level in range(table.height + 1)
        ]
        self.bearers: dict[str, set[tuple[int, int]]] = {}  # a name: the groups that bear it
        for level in range(table.height):
            found, first = np.unique(table.codes[:, level], return_index=True)
            for code, leaf in zip(found.tolist(), first.tolist(), strict=True):
                name = table.labels[level][code]
                if name is not None:  # groups nest: a leaf and a size tell which it is
                    bearers = self.bearers.setdefault(name, set())
                    bearers.add((leaf, int(self.sizes[level][code])))

    def name(self, leaves: Sequence[int]) -> str | None:
        """The name of the smallest group with just these values, if nothing else has that name."""
        for level in range(self.low + 1, self.table.height):
            codes = self.table.codes[list(leaves), level]
            if len(codes) and self.sizes[level][codes[0]] == len(codes):
                name = self.table.labels[level][codes[0]]
                same = bool((codes == codes[0]).all())
                return name if same and name is not None and self._clear(name) else None
        return None

    def of_all(self) -> str:
        """What a column in one interval shows: ``*``, unless a group's name says more."""
        table = self.table
        for level in range(self.low + 1, table.height):
            if len(np.unique(table.codes[:, level])) == 1:
                says_more = table.leaves_under[level][table.codes[0, level]] < table.declared
                name = self.name(range(table.leaves))
                return name if says_more and name is not None else TOP
        return TOP

    def _clear(self, name: str) -> bool:
        ours = name.startswith(OURS) or name.endswith(MISSING) or name in (TOP, KNOWN)
        return len(self.bearers[name]) == 1 and not ours
