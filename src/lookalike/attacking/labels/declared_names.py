"""The names of groups in a policy's hierarchy, and the outsider's values that each covers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import LevelTable, Value
from lookalike.errors import PolicyError
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.bands import Bands
from lookalike.policy.hierarchies.dates import Dates
from lookalike.policy.hierarchies.flat import Flat
from lookalike.policy.hierarchies.ordered import Ordered
from lookalike.policy.hierarchies.prefix import Prefix
from lookalike.policy.hierarchies.tree import Tree
from lookalike.policy.hierarchy import Hierarchy

Whole = NDArray[np.int64]
BY_TEXT = (Bands, Dates, Flat, Prefix)  # the text of their labels shows what they cover


class DeclaredNames:
    """A hierarchy tabulated over its declared leaves, or over the values if it declares none."""

    def __init__(self, table: LevelTable, leaves: Sequence[str], texts: Sequence[str | None]):
        self.table = table
        place = {leaf: at for at, leaf in enumerate(leaves)}
        leaf = [-1 if cell is None else place.get(cell, -1) for cell in texts]
        self.leaf = np.array(leaf, dtype=np.int64)  # (values,) −1: not in the hierarchy
        self.unknown = leaf.count(-1)  # values that are not in the hierarchy, including nulls
        self.groups: dict[str, set[tuple[int, int]]] = {}
        for level, labels in enumerate(table.labels[:-1]):
            for code, label in enumerate(labels):
                if label is not None:
                    self.groups.setdefault(label, set()).add((level, code))

    def covered(self, label: str) -> Whole | None:
        """The values with this label on any level; None if there is no such label."""
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


def declared_names(
    name: str, hierarchy: Hierarchy | None, values: Sequence[Value], texts: Sequence[str | None]
) -> DeclaredNames | None:
    """The names of a hierarchy; None if labels are read by their text alone."""
    if hierarchy is None or isinstance(hierarchy, BY_TEXT):
        return None
    if isinstance(hierarchy, Tree):
        leaves = [row[0] for row in hierarchy.rows]
    elif isinstance(hierarchy, Ordered):
        leaves = list(hierarchy.values)
    else:
        return _of_values(name, hierarchy, values, texts)
    return DeclaredNames(hierarchy.tabulate(name, leaves), leaves, texts)


def _of_values(
    name: str, hierarchy: Hierarchy, values: Sequence[Value], texts: Sequence[str | None]
) -> DeclaredNames | None:
    """For a hierarchy of another package: over the values it accepts; None if it accepts none."""
    accepted = {cell: value for cell, value in zip(texts, values, strict=True) if cell is not None}
    for _ in range(2):
        try:
            table = hierarchy.tabulate(name, list(accepted.values()))
            return DeclaredNames(table, list(accepted), texts)
        except PolicyError as error:
            refused = {text(value) for fault in error.faults for value in fault.values}
            accepted = {cell: value for cell, value in accepted.items() if cell not in refused}
    return None
