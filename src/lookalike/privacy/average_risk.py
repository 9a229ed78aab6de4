"""Average risk: the share of rows that somebody who guesses would recognize (the marketer's risk).

El Emam 2013, as ARX's average re-identification risk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import ROUNDING, Flags, Requirement, check_number


@dataclass(frozen=True, slots=True)
class AverageRisk(Requirement):
    """Released classes / released rows ≤ ``risk``: the mean over rows of 1 / |E|.

    About the table as a whole: no class breaks it. Monotone, since a coarser node has no more
    classes and, without suppression, as many rows. It does not grow: suppressing small classes
    lowers the average.
    """

    risk: float

    name: ClassVar[str] = "average risk"
    whole: ClassVar[bool] = True
    monotone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("the average risk", self.risk, 0, 1)

    def met(self, classes: Classes, kept: Flags) -> bool:
        rows = int(classes.sizes[kept].sum())
        return int(kept.sum()) <= (self.risk + ROUNDING) * rows

    def sentence(self) -> str:
        return (
            f"average risk {self.risk:g}: of all released rows, guessing recognizes a share of at "
            f"most {self.risk:g}"
        )
