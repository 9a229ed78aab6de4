"""Height: the generalization steps of a recoding, summed over the columns (Samarati 2001)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lookalike.cost.metric import (
    Costing,
    Counted,
    CountedNode,
    Floats,
    Metric,
    NodeCost,
    TableFacts,
)


@dataclass(frozen=True, slots=True)
class Height(Metric):
    """The sum of the levels. Weights and suppressed rows do not count.

    *Base.* Known for every node without counting. *Extra.* None: 0.

    Examples
    --------
    >>> import lookalike as la
    >>> la.Height().sentence(3.0)
    'height 3 (generalization steps over all columns)'
    """

    name: ClassVar[str] = "height"
    for_cells = False

    def on(self, facts: TableFacts) -> HeightCosting:
        return HeightCosting(facts)

    def sentence(self, cost: float) -> str:
        return f"height {cost:.0f} (generalization steps over all columns)"


class HeightCosting(Costing):
    """Height applied to one table. Only a whole column that is not cut has a level."""

    prior_is_base = True

    def __init__(self, facts: TableFacts) -> None:
        self.prior = np.tile(np.arange(facts.levels, dtype=float), (len(facts.tables), 1))
        self._none = facts.constant_bound(0.0)

    def node(self, counted: CountedNode) -> NodeCost:
        return NodeCost(float(counted.levels.sum()), -np.inf, self._none)

    def split(self, counted: Counted) -> Floats | None:
        return counted.levels.astype(float) if isinstance(counted, CountedNode) else None
