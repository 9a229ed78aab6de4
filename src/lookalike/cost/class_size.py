"""Average class size: rows per class of lookalikes (LeFevre, DeWitt, Ramakrishnan 2006)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lookalike.cost.metric import Counted, Ground, Intervals, Pieces, Reading, flat


@dataclass(frozen=True, slots=True)
class ClassSize:
    """Rows / classes, where suppressed rows, all alike, make one class more.

    LeFevre's C_avg is this divided by k; leaving k out keeps results for different k comparable.

    Score: s(v) = −(k·classes + suppressed).

    *Base.* A class released at v ≥ u holds a class released at u, or k or more rows suppressed at
    u. If r rows suppressed at u are released at v then k·classes(v) ≤ k·classes(u) + r, while
    suppressed(v) = suppressed(u) − r: s never falls going up, and base(u) = s(u).

    If rules do not grow, a class released at u may be suppressed at v. Still each class released at
    v holds one released at u, or k rows suppressed at u, so that with the one of the suppressed
    there are at most (k·classes(u) + suppressed(u)) / k + 1, and base(u) = s(u) − k will do.

    *Extra.* extra(w) = max(0, lost(w) − 1), all rows suppressed being lost if rules grow; else the
    count above holds without the lost rows, too. If some row is suppressed at v, at least
    max(1, suppressed(w)) are, so k·classes(v) ≤ −base − max(1, suppressed(w)) and classes with the
    one of the suppressed number at most ⌈−(base + extra) / k⌉. If none is, then suppressed(w) = 0
    and the classes number at most ⌊−base / k⌋. Either way cost ≥ rows / ⌈−(base + extra) / k⌉.
    """

    @property
    def name(self) -> str:
        return "class-size"

    @property
    def class_column(self) -> None:
        return None

    def on(self, ground: Ground) -> ClassSizeCosting:
        return ClassSizeCosting(ground)

    def sentence(self, cost: float) -> str:
        return f"{cost:,.1f} rows a class on average"


class ClassSizeCosting:
    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.rows = float(ground.rows)
        self.least = max(1, ground.smallest)
        self.spare = 0 if ground.grows else self.least
        self.prior = flat(-self.rows - self.spare, ground)
        self.foreseen = False

    def read(self, counted: Counted) -> Reading:
        classes = len(counted.sizes) - int(counted.broken.sum())
        alike = classes + (1 if counted.suppressed else 0)
        return Reading(
            self.rows / max(1, alike),
            -float(self.least * classes + counted.suppressed + self.spare),
            flat(float(max(0, counted.lost_rows - 1)), self.ground),
        )

    def cells(self, pieces: Pieces) -> float:
        classes = len(pieces.sizes) + (1 if pieces.suppressed else 0)
        return self.rows / max(1, classes)

    def cuts(self, intervals: Intervals) -> float:
        classes = len(intervals.kept) + (1 if intervals.suppressed else 0)
        return self.rows / max(1, classes)

    def value(self, score: float) -> float:
        return self.rows / max(1, math.ceil(-score / self.least))

    def score(self, cost: float) -> float:
        if math.isinf(cost):
            return cost
        return -float(self.least * math.floor(self.rows / cost)) if cost > 0 else -math.inf
