"""t-closeness: what a class holds is distributed nearly as in the whole release.

Li, Li and Venkatasubramanian 2007. How near is told by the Earth Mover's Distance, over a ground
distance between values (``ground_distance.py``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from lookalike.counts.classes import Classes
from lookalike.counts.level_table import Value
from lookalike.privacy.ground_distance import Equal, GroundDistance
from lookalike.privacy.requirement import ROUNDING, Flags, Requirement, check_number


@dataclass(frozen=True, slots=True)
class TCloseness(Requirement):
    """EMD(P, Q) ≤ ``t`` for every class: P is its distribution of ``column``, Q the release's.

    Monotone: the distance is convex, so that of two classes together is at most the larger. It does
    not grow. What is known before one looks is the release, so Q is that of the released rows:
    starred rows count, rows left out do not.
    """

    column: str
    t: float
    distance: GroundDistance = field(default_factory=Equal)

    name: ClassVar[str] = "t-closeness"
    monotone: ClassVar[bool] = True
    against_all: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("t", self.t, 0, 1, least=True)
        if isinstance(self.distance, type) or not isinstance(self.distance, GroundDistance):
            raise TypeError("the distance is none; use Equal(), Ordered() or Hierarchical(tree)")

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def broken(self, classes: Classes) -> Flags:
        spread = classes.spreads[self.column]
        return self.distance.moved(spread, classes.sizes) > self.t + ROUNDING

    def hopeless(self, classes: Classes) -> Flags:
        spread = classes.spreads[self.column]
        return self.distance.least_moved(spread, len(classes)) > self.t + ROUNDING

    def fault(self, values: tuple[Value, ...]) -> str | None:
        return self.distance.fault(self.column, values)

    def sentence(self) -> str:
        return (
            f"{self.t:g}-closeness: in every class of lookalikes the distribution of {self.column} "
            f"is within {self.t:g} of that of the whole release, {self.distance.words()}"
        )
