"""Maximum risk: a limit on the re-identification risk of every row (the prosecutor's risk).

El Emam 2013, *Guide to the De-Identification of Personal Health Information*. EMA's policy 0070 and
Health Canada ask for at most 0.09, which is k = 12.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from lookalike.privacy.requirement import ROUNDING, Requirement, check_number


@dataclass(frozen=True, slots=True)
class MaximumRisk(Requirement):
    """1 / |E| ≤ ``risk`` for every class E: k-anonymity with k = ⌈1 / risk⌉.

    It grows, as k-anonymity does.

    Parameters
    ----------
    risk : float
        The highest chance of finding a person's row, above 0 and at most 0.5.

    Raises
    ------
    TypeError, ValueError
        If ``risk`` is not such a number.

    Examples
    --------
    >>> import lookalike as la
    >>> la.MaximumRisk(0.09).smallest
    12
    >>> print(la.MaximumRisk(0.09).sentence())
    maximum risk 0.09 (k = 12): an outsider who knows that a person is in the release finds the
    person's row with a chance of at most 0.09
    """

    risk: float

    key = "max_risk"
    example = "max_risk = 0.09 for k = 12"
    larger_is_stricter = False

    name: ClassVar[str] = "maximum risk"
    by_size: ClassVar[bool] = True
    grows: ClassVar[bool] = True
    monotone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("the maximum risk", self.risk, 1e-9, 0.5)

    @property
    def smallest(self) -> int:
        return math.ceil(1 / self.risk - ROUNDING)

    def sentence(self) -> str:
        return (
            f"maximum risk {self.risk:g} (k = {self.smallest}): an outsider who knows that a "
            f"person is in the release finds the person's row with a chance of at most "
            f"{self.risk:g}"
        )
