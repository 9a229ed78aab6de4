"""Average risk: a limit on the share of rows that guessing re-identifies (the marketer's risk).

El Emam 2013; ARX calls it average re-identification risk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import ROUNDING, Flags, Requirement, check_number


@dataclass(frozen=True, slots=True)
class AverageRisk(Requirement):
    """Released classes / released rows ≤ ``risk``: the mean over rows of 1 / |E|.

    It limits the table as a whole: no single class breaks it. Monotone, since a coarser node has at
    most as many classes and, without suppression, as many rows. It does not grow: suppressing small
    classes lowers the average.

    Parameters
    ----------
    risk : float
        The expected share of rows that an outsider re-identifies, above 0 and at most 1.

    Raises
    ------
    TypeError, ValueError
        If ``risk`` is not such a number.

    Examples
    --------
    >>> import lookalike as la
    >>> print(la.AverageRisk(0.05).sentence())
    average risk 0.05: an outsider who guesses is expected to re-identify at most a share of 0.05
    of the released rows
    """

    risk: float

    key = "average_risk"
    example = "average_risk = 0.05"
    larger_is_stricter = False

    name: ClassVar[str] = "average risk"
    table_wide: ClassVar[bool] = True
    monotone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("the average risk", self.risk, 0, 1)

    def met(self, classes: Classes, kept: Flags) -> bool:
        rows = int(classes.sizes[kept].sum())
        return int(kept.sum()) <= (self.risk + ROUNDING) * rows

    def sentence(self) -> str:
        return (
            f"average risk {self.risk:g}: an outsider who guesses is expected to re-identify at "
            f"most a share of {self.risk:g} of the released rows"
        )
