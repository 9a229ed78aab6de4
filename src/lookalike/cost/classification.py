"""CM, the classification metric: rows that the majority label of their class misclassifies.

Iyengar 2002, in the form of Bayardo and Agrawal 2005.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from lookalike.cost.metric import Costing, CountedNode, Metric, NodeCost, TableFacts, Whole


@dataclass(frozen=True, slots=True)
class Classification(Metric):
    """Rows whose label is not the most frequent of their class, plus every suppressed row.

    Let min(E) be the minority rows of E. Merging never reduces them: min(E ∪ F) ≥ min(E) + min(F)
    (claim 5.3 of the paper).

    *Base.* base(u) = Σ over all classes at u, released or not, of min(E): at a coarser node a
    class costs at least min of itself, and that at least the sum over its parts at u.

    *Extra.* Let R be the rows lost at w. At v ≤ w they all cost 1, where base counted only the
    minorities of their classes; those sum to at most Σ min(E) over the classes E of w inside R. So
    extra(w) = Σ_lost at w (|E| − min(E)).

    Parameters
    ----------
    column : str
        The column that holds the label; sensitive or kept unchanged.

    Examples
    --------
    >>> import lookalike as la
    >>> print(la.Classification("income").sentence(420.0))
    classification 420 (rows whose income is not the most frequent in their equivalence class, and
    suppressed rows)
    """

    column: str

    name: ClassVar[str] = "classification"
    parameter = "column"
    needs_one_set = True

    def __post_init__(self) -> None:
        if not isinstance(self.column, str):
            raise TypeError("the class column is not the name of a column")

    @property
    def class_column(self) -> str:
        return self.column

    def on(self, facts: TableFacts) -> ClassificationCosting:
        return ClassificationCosting(facts)

    def sentence(self, cost: float) -> str:
        return (
            f"classification {cost:,.0f} (rows whose {self.column} is not the most frequent in "
            "their equivalence class, and suppressed rows)"
        )


class ClassificationCosting(Costing):
    """Classification applied to one table."""

    def __init__(self, facts: TableFacts) -> None:
        self.facts = facts
        self.prior = facts.constant_bound(0.0)

    def node(self, counted: CountedNode) -> NodeCost:
        labels = counted.classes.labels
        if labels is None:
            raise ValueError("the classification metric needs the labels of its class column")
        minority = counted.sizes - labels.max(axis=1, initial=0)
        spared = float(minority[counted.broken].sum())
        return NodeCost(
            float(minority.sum()) - spared + counted.suppressed,
            float(minority.sum()),
            self.facts.constant_bound(counted.lost_rows - float(minority[counted.lost].sum())),
        )

    def released(self, sizes: Whole, labels: Whole | None, suppressed: int) -> float:
        if labels is None:
            return math.inf
        return float((sizes - labels.max(axis=1, initial=0)).sum() + suppressed)
