"""Rules of cell-level algorithms in plain Python, on single rows and lists, by their definitions.

They share no code with the searches. Each algorithm's own rule is beside its tests.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

from cell_oracle import _prices

TIE = 1e-9


def least(some, of):
    """The first of those for which it is least."""
    some = list(some)
    found = [of(one) for one in some]
    return some[next(i for i, cost in enumerate(found) if cost <= min(found) + TIE)]


class Plain:
    """What rows show and pay; ``broken`` names a rule that is not kept."""

    def __init__(self, given, metric="precision", broken=""):
        self.given, self.broken = given, broken
        self.k, self.columns = given.k, range(len(given.hierarchies))
        self.prices = cache(lambda a, value: _prices(given, a, value, metric))

    def answer(self):
        """How many rows show what levels, None if left out; None if nothing is released."""
        found = Counter()
        for end in self.lots(sorted(self.given.rows), self.given.high):
            if len(end) < self.k:
                found.update((row, None) for row in end)
            else:
                for lot in self.classes(end):
                    assert len(lot) >= self.k
                    found.update((row, self.levels(lot, row)) for row in lot)
        gone = sum(count for (_, levels), count in found.items() if levels is None)
        return found if gone <= min(self.given.allowance, len(self.given.rows) - 1) else None

    def lots(self, rows, levels):
        found = {}
        for row in rows:
            found.setdefault(tuple(self.path(a, row)[levels[a]] for a in self.columns), []).append(
                row
            )
        return found.values()

    def path(self, a, row):
        return self.given.hierarchies[a][row[a]]

    def label(self, a, lot):
        """The lowest that all share."""
        level = self.given.low[a]
        while len({self.path(a, row)[level] for row in lot}) > 1:
            level += 1
        return self.path(a, lot[0])[level]

    def levels(self, lot, row):
        """The lowest on which a row shows the labels of its lot."""
        labels = [self.label(a, lot) for a in self.columns]
        low = self.given.low
        return tuple(self.path(a, row).index(labels[a], low[a]) for a in self.columns)

    def paid(self, a, lot):
        label = self.label(a, lot)
        each = (self.prices(a, row[a])[label] for row in lot)
        return self.given.weights[a] * sum(each) / sum(self.given.weights)

    def cost(self, lot):
        return sum(self.paid(a, lot) for a in self.columns)
