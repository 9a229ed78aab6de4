"""DM, the discernibility metric: from how many rows each row cannot be distinguished.

Bayardo and Agrawal 2005.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lookalike.cost.metric import Costing, CountedNode, Metric, NodeCost, TableFacts, Whole


@dataclass(frozen=True, slots=True)
class Discernibility(Metric):
    """Σ over released classes of |E|², plus |D| for each suppressed row.

    A released row of a class smaller than k pays |D| too: by the definition of the metric it counts
    as suppressed. Only a system that does not guarantee k releases such rows.

    *Base.* At a coarser node a row released at u is in a class at least as large as at u, and pays
    that size, or |D| if it is suppressed there; a row suppressed at u pays at least k if it is
    released, and |D| ≥ k if it is not. So base(u) = Σ_released |E|² + k · suppressed(u).

    *Extra.* A row lost at w pays |D| at every v ≤ w. It is suppressed at u ≤ v too, where base(u)
    counted it with k: extra(w) = (|D| − k) · lost(w).

    Examples
    --------
    >>> import lookalike as la
    >>> la.Discernibility().sentence(1250.0)
    'discernibility 1,250 (pairs of rows that cannot be distinguished)'
    """

    name: ClassVar[str] = "discernibility"
    needs_one_set = True

    def on(self, facts: TableFacts) -> DiscernibilityCosting:
        return DiscernibilityCosting(facts)

    def sentence(self, cost: float) -> str:
        return f"discernibility {cost:,.0f} (pairs of rows that cannot be distinguished)"


class DiscernibilityCosting(Costing):
    """Discernibility applied to one table."""

    def __init__(self, facts: TableFacts) -> None:
        self.facts = facts
        self.rows = float(facts.rows)
        self.least = float(min(facts.smallest, facts.rows))  # what any row pays at least
        self.prior = facts.constant_bound(self.rows * self.least)

    def node(self, counted: CountedNode) -> NodeCost:
        kept = counted.sizes[~counted.broken].astype(np.float64)
        squares = float(kept @ kept)
        return NodeCost(
            squares + self.rows * counted.suppressed,
            squares + self.least * counted.suppressed,
            self.facts.constant_bound((self.rows - self.least) * counted.lost_rows),
        )

    def released(self, sizes: Whole, labels: Whole | None, suppressed: int) -> float:
        held = sizes.astype(np.float64)
        pays = np.where(held < self.facts.smallest, self.rows, held)
        return float(held @ pays) + self.rows * suppressed
