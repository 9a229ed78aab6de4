"""k-member clustering: against its rule in plain Python, and laws."""

from __future__ import annotations

from class_laws import ClusteringLaws
from plain_classes import Plain, least


class PlainMember(Plain):
    def classes(self, left):
        found, last = [], [left[0]]
        while len(left) >= self.k:
            sign = 1 if self.broken == "nearest first" else -1
            seed = least(left, lambda row: sign * self.cost([*last, row]))  # noqa: B023
            last = [row for row in left if row == seed]
            left = [row for row in left if row != seed]
            while len(last) < self.k:
                equals = [row for row in left if row == last[-1]]
                row = least([*equals, *left], lambda row: self.added(row, last))  # noqa: B023
                last.append(row)
                left.remove(row)
            found.append(last)
        for row in left:
            lot = least(found, lambda lot: self.added(row, lot))  # noqa: B023
            (found[0] if self.broken == "left over" else lot).append(row)
        return found

    def added(self, row, lot):
        return self.cost([*lot, row]) - self.cost(lot)


class TestKMember(ClusteringLaws):
    by = "k-member"
    plain = PlainMember
    broken = ("nearest first", "left over")
