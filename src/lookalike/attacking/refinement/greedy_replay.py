"""Lattice greedy in plain Python: the release that a table of a few rows would lead to.

An attacker runs the public algorithm on each table that seems possible. This is that run, in code
that is independent of the search; groups of equal rows are taken in the order of their values.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from lookalike.attacking.refinement.closed_classes import ClosedClasses

Leaves = tuple[int, ...]
Closed = list[Counter[Leaves]]  # the classes, with their rows by tuple of values


class GreedyReplay:
    """Runs the algorithm for the policy of a release, on tables over its domain."""

    def __init__(self, classes: ClosedClasses) -> None:
        self.classes = classes
        self.codes = [column.table.codes.tolist() for column in classes.view.columns]
        self.coarsest = [high for _, high in classes.bounds]
        self.released = Counter(map(self._shown_by_class, range(classes.view.classes)))

    def leads_to_release(self, table: Counter[Leaves]) -> Closed | None:
        """The classes of this table in the order of the release; None if the release differs."""
        closed = self._close(table)
        shown = [(*self._shown(rows), rows.total()) for rows in closed]
        if Counter(shown) != self.released:
            return None
        place = {key: at for at, key in enumerate(map(self._shown_by_class, range(len(closed))))}
        found: Closed = [Counter() for _ in closed]
        for key, rows in zip(shown, closed, strict=True):
            found[place[key]] = rows
        return found

    def _close(self, table: Counter[Leaves]) -> Closed:
        waiting = sorted(leaves for leaves, rows in table.items() if rows)
        rows_left: Counter[Leaves] = Counter()
        for leaves in waiting:
            rows_left[self._at(leaves, self.coarsest)] += table[leaves]
        order = self.classes.order.of_table(
            np.array([table[leaves] for leaves in waiting]), np.array(waiting)
        )
        closed: Closed = []
        for node in order.tolist():
            groups: dict[Leaves, list[Leaves]] = defaultdict(list)
            for leaves in waiting:
                groups[self._at(leaves, node)].append(leaves)
            for alike in groups.values():
                rows = Counter({leaves: table[leaves] for leaves in alike})
                component = self._at(alike[0], self.coarsest)
                rest = rows_left[component] - rows.total()
                if rows.total() >= self.classes.k and (rest == 0 or rest >= self.classes.k):
                    rows_left[component] = rest
                    closed.append(rows)
                    waiting = [leaves for leaves in waiting if leaves not in rows]
            if not waiting:
                break
        return closed

    def _at(self, leaves: Leaves, node: list[int]) -> Leaves:
        """What a tuple shows at a node."""
        return tuple(
            codes[leaf][level] for codes, leaf, level in zip(self.codes, leaves, node, strict=True)
        )

    def _shown(self, rows: Counter[Leaves]) -> tuple[tuple[int, ...], ...]:
        """The values that each label covers, if a class shows the lowest labels that it shares."""
        shown = []
        for a, codes in enumerate(self.codes):
            held = {leaves[a] for leaves in rows}
            level = self.classes.bounds[a][0]
            while len({codes[leaf][level] for leaf in held}) > 1:
                level += 1
            code = codes[next(iter(held))][level]
            shown.append(tuple(leaf for leaf, own in enumerate(codes) if own[level] == code))
        return tuple(shown)

    def _shown_by_class(self, c: int) -> tuple[object, ...]:
        """The values that the labels of a released class cover, and its rows."""
        covers = self.classes.covers
        return (
            *(tuple(np.flatnonzero(of[c]).tolist()) for of in covers),
            int(self.classes.sizes[c]),
        )
