"""MDAV: against its rule in plain Python, and laws."""

from __future__ import annotations

from collections import Counter

from class_laws import ClusteringLaws
from plain_classes import Plain, least


class PlainMdav(Plain):
    def classes(self, left):
        found = []
        while len(left) >= 2 * self.k:
            if len(found) % 2 == 0 or self.broken == "always the centre":
                start = self.centre(left)
            start = least(left, lambda row: -self.cost([start, row]))  # noqa: B023
            equals = [row for row in left if row == start]
            lot = equals[: len(left) - self.k]
            for row in lot:
                left.remove(row)
            while len(lot) < self.k:
                row = least(left, lambda row: self.cost([start, row]))  # noqa: B023
                lot.append(row)
                left.remove(row)
            found.append(lot)
        return [*found, left]

    def centre(self, left):
        if self.broken == "most frequent":
            return tuple(Counter(row[a] for row in left).most_common()[0][0] for a in self.columns)

        def mean(a):
            return lambda row: sum(self.paid(a, [row, other]) for other in left) / len(left)

        return tuple(least(left, mean(a))[a] for a in self.columns)


class TestMdav(ClusteringLaws):
    by = "mdav"
    plain = PlainMdav
    broken = ("always the centre", "most frequent")
    every = 1
