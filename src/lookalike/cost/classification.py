"""CM, the classification metric: rows that a classifier trained on the release gets wrong.

Iyengar 2002, in the form of Bayardo and Agrawal 2005.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from lookalike.cost.metric import Counted, Ground, Intervals, Pieces, Reading, flat


@dataclass(frozen=True, slots=True)
class Classification:
    """Rows whose class label is not the most frequent of their class, plus every suppressed row.

    Write min(E) for the minority rows of E. Merging never frees one: min(E ∪ F) ≥ min(E) + min(F)
    (claim 5.3 of the paper).

    *Base.* base(u) = Σ over all classes at u, released or not, of min(E): at a coarser node a
    class costs at least min of itself, and that at least the sum over its parts at u.

    *Extra.* Let R be the rows lost at w. At v ≤ w they all cost 1, where base counted only the
    minorities of their classes; those sum to at most Σ min(E) over the classes E of w inside R. So
    extra(w) = Σ_lost at w (|E| − min(E)).
    """

    column: str

    @property
    def name(self) -> str:
        return "classification"

    @property
    def class_column(self) -> str:
        return self.column

    def on(self, ground: Ground) -> ClassificationCosting:
        return ClassificationCosting(ground)

    def sentence(self, cost: float) -> str:
        return f"classification {cost:,.0f} rows not of their class's majority in {self.column}"


class ClassificationCosting:
    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.prior = flat(0.0, ground)
        self.foreseen = False

    def read(self, counted: Counted) -> Reading:
        if counted.labels is None:
            raise ValueError("the classification metric needs the labels of its class column")
        minority = counted.sizes - counted.labels.max(axis=1, initial=0)
        spared = float(minority[counted.broken].sum())
        return Reading(
            float(minority.sum()) - spared + counted.suppressed,
            float(minority.sum()),
            flat(counted.lost_rows - float(minority[counted.lost].sum()), self.ground),
        )

    def cells(self, pieces: Pieces) -> float:
        if pieces.labels is None:
            return math.inf
        minority = pieces.sizes - pieces.labels.max(axis=1, initial=0)
        return float(minority.sum() + pieces.suppressed)

    def cuts(self, intervals: Intervals) -> float:
        labels = intervals.classes.labels
        if labels is None:
            raise ValueError("the classification metric needs the labels of its class column")
        majority = labels[~intervals.broken].max(axis=1, initial=0)
        return float((intervals.kept - majority).sum() + intervals.suppressed)

    def value(self, score: float) -> float:
        return score

    def score(self, cost: float) -> float:
        return cost
