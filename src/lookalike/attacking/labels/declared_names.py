"""Names that a policy's hierarchy gives to groups, and the outsider's values that each covers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import LevelTable, Value
from lookalike.errors import PolicyError
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies import Bands, Dates, Flat, Ordered, Prefix, Tree
from lookalike.policy.hierarchy import Hierarchy

Whole = NDArray[np.int64]
BY_TEXT = (Bands, Dates, Flat, Prefix)  # their labels say by themselves what they cover


class Names:
    """A hierarchy tabulated: over its declared leaves, or where there are none, over the values."""

    def __init__(self, table: LevelTable, leaves: Sequence[str], texts: Sequence[str | None]):
        self.table = table
        place = {leaf: at for at, leaf in enumerate(leaves)}
        found = [-1 if one is None else place.get(one, -1) for one in texts]
        self.leaf = np.array(found, dtype=np.int64)  # (values,) −1: not in the hierarchy
        self.groups: dict[str, set[tuple[int, int]]] = {}
        for level, labels in enumerate(table.labels[:-1]):
            for code, label in enumerate(labels):
                if label is not None:
                    self.groups.setdefault(label, set()).add((level, code))

    @cached_property
    def unknown(self) -> int:
        """Values that the hierarchy does not know, nulls among them."""
        return int((self.leaf < 0).sum())

    def covered(self, label: str) -> Whole | None:
        """The values with this label on any level; None if nothing bears it."""
        leaves = self._leaves(label)
        return None if leaves is None else self._values(leaves)

    def between(self, first: str, last: str) -> Whole | None:
        """The values from one name to the other, in the order of the hierarchy."""
        begin, end = self._leaves(first), self._leaves(last)
        if begin is None or end is None or self.table.order is None:
            return None
        rank = np.empty(self.table.leaves, dtype=np.int64)
        rank[self.table.order] = np.arange(self.table.leaves)
        return self._values((rank >= rank[begin].min()) & (rank <= rank[end].max()))

    def _leaves(self, label: str) -> NDArray[np.bool_] | None:
        if label not in self.groups:
            return None
        under = np.zeros(self.table.leaves, dtype=np.bool_)
        for level, code in self.groups[label]:
            under |= self.table.codes[:, level] == code
        return under

    def _values(self, leaves: NDArray[np.bool_]) -> Whole:
        return np.flatnonzero((self.leaf >= 0) & leaves[self.leaf])


def names_of(
    name: str, hierarchy: Hierarchy | None, values: Sequence[Value], texts: Sequence[str | None]
) -> Names | None:
    """None where labels are read by their text alone."""
    if hierarchy is None or isinstance(hierarchy, BY_TEXT):
        return None
    if isinstance(hierarchy, Tree):
        leaves = [row[0] for row in hierarchy.rows]
        return Names(hierarchy.tabulate(name, leaves), leaves, texts)
    if isinstance(hierarchy, Ordered):
        leaves = list(hierarchy.values)
        return Names(hierarchy.tabulate(name, leaves), leaves, texts)
    return _of_values(name, hierarchy, values, texts)


def _of_values(
    name: str, hierarchy: Hierarchy, values: Sequence[Value], texts: Sequence[str | None]
) -> Names | None:
    """A hierarchy of somebody else's: over the values it takes; None if it takes none."""
    taken = {one: value for one, value in zip(texts, values, strict=True) if one is not None}
    for _ in range(2):
        try:
            return Names(hierarchy.tabulate(name, list(taken.values())), list(taken), texts)
        except PolicyError as error:
            refused = {text(one) for fault in error.faults for one in fault.values}
            taken = {one: value for one, value in taken.items() if one not in refused}
    return None
