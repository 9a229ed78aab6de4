"""Class size: average rows of an equivalence class (LeFevre, DeWitt, Ramakrishnan 2006)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from lookalike.cost.metric import Costing, CountedNode, Metric, NodeCost, TableFacts, Whole


@dataclass(frozen=True, slots=True)
class ClassSize(Metric):
    """Rows / classes, where all suppressed rows together count as one more class.

    LeFevre's C_avg is this divided by k; leaving k out keeps results for different k comparable.

    Score: s(v) = −(k·classes + suppressed).

    *Base.* A class released at v ≥ u contains a class released at u, or k or more rows suppressed
    at u. If r rows suppressed at u are released at v then k·classes(v) ≤ k·classes(u) + r, while
    suppressed(v) = suppressed(u) − r: s never falls going up, and base(u) = s(u).

    If requirements do not grow, a class released at u may be suppressed at v. Still each class
    released at v contains a class released at u, or k rows suppressed at u. With the class of the
    suppressed rows there are at most (k·classes(u) + suppressed(u)) / k + 1, so base(u) = s(u) − k.

    *Extra.* extra(w) = max(0, lost(w) − 1), where all suppressed rows are lost if requirements
    grow; otherwise the count above holds without the lost rows, too. If some row is suppressed at
    v, at least max(1, suppressed(w)) are, so k·classes(v) ≤ −base − max(1, suppressed(w)), and
    there are at most ⌈−(base + extra) / k⌉ classes, with the class of the suppressed rows. If no
    row is suppressed, then suppressed(w) = 0 and there are at most ⌊−base / k⌋ classes. In both
    cases cost ≥ rows / ⌈−(base + extra) / k⌉.

    Examples
    --------
    >>> import lookalike as la
    >>> la.ClassSize().sentence(7.25)
    'class size 7.2 (average rows of an equivalence class)'
    """

    name: ClassVar[str] = "class-size"
    needs_one_set = True

    def on(self, facts: TableFacts) -> ClassSizeCosting:
        return ClassSizeCosting(facts)

    def sentence(self, cost: float) -> str:
        return f"class size {cost:,.1f} (average rows of an equivalence class)"


class ClassSizeCosting(Costing):
    """Class size applied to one table."""

    def __init__(self, facts: TableFacts) -> None:
        self.facts = facts
        self.rows = float(facts.rows)
        self.least = max(1, facts.smallest)
        self.spare = 0 if facts.grows else self.least
        self.prior = facts.constant_bound(-self.rows - self.spare)

    def node(self, counted: CountedNode) -> NodeCost:
        classes = len(counted.sizes) - int(counted.broken.sum())
        alike = classes + (1 if counted.suppressed else 0)
        return NodeCost(
            self.rows / max(1, alike),
            -float(self.least * classes + counted.suppressed + self.spare),
            self.facts.constant_bound(float(max(0, counted.lost_rows - 1))),
        )

    def released(self, sizes: Whole, labels: Whole | None, suppressed: int) -> float:
        return self.rows / max(1, len(sizes) + (1 if suppressed else 0))

    def value(self, score: float) -> float:
        return self.rows / max(1, math.ceil(-score / self.least))

    def score(self, cost: float) -> float:
        if math.isinf(cost):
            return cost
        return -float(self.least * math.floor(self.rows / cost)) if cost > 0 else -math.inf
