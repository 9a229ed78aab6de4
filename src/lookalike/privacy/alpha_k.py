"""(α,k)-anonymity: k lookalikes, and no value is the answer for more than a share α of them.

Wong, Li, Fu and Wang 2006.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.counts.level_table import Value
from lookalike.privacy.requirement import ROUNDING, Flags, Requirement, check_number, check_whole


@dataclass(frozen=True, slots=True)
class AlphaK(Requirement):
    """|E| ≥ ``k``, and |rows of E with s| ≤ ``alpha`` · |E|, for ``value`` s or for every value.

    Monotone: a share in two classes together lies between both shares. It does not grow. Hopeless
    is a class all of whose rows hold the value, or one of fewer than 1/α distinct values if every
    value counts.
    """

    column: str
    alpha: float
    k: int
    value: str | None = None  # as it reads as text; None for every value

    name: ClassVar[str] = "(α,k)-anonymity"
    monotone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("α", self.alpha, 0, 1)
        check_whole("k", self.k, 2)
        if self.value is not None and not isinstance(self.value, str):
            raise TypeError("the value is not text")

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def smallest(self) -> int:
        return self.k if self.value is not None else max(self.k, self._values)

    @property
    def _values(self) -> int:
        """So many values a class needs at least, if every one counts."""
        return math.ceil(1 / self.alpha - ROUNDING)

    def broken(self, classes: Classes) -> Flags:
        most = self._most(classes)
        frequent: Flags = most > self.alpha * classes.sizes + ROUNDING
        return (classes.sizes < self.k) | frequent

    def hopeless(self, classes: Classes) -> Flags:
        small = classes.sizes < self.smallest
        if self.value is None:
            few: Flags = classes.spreads[self.column].distinct(len(classes)) < self._values
            return small | few
        all_hold: Flags = self._most(classes) == classes.sizes
        return small | all_hold if self.alpha < 1 else small

    def _most(self, classes: Classes) -> NDArray[np.float64]:
        """(classes,) rows that hold the value, or the most frequent one."""
        spread = classes.spreads[self.column]
        if self.value is None:
            return np.maximum(spread.most(spread.count.astype(float), len(classes)), 0)
        known = np.array(
            [str(value) == self.value and value is not None for value in spread.values]
        )
        held = known[spread.code] if len(known) else np.zeros(0, dtype=bool)
        return spread.summed(np.where(held, spread.count, 0).astype(float), len(classes))

    def fault(self, values: tuple[Value, ...]) -> str | None:
        if self.value is None or self.value in values:
            return None
        return (
            f"no row of {self.column} holds the value named; it is compared as text, case and all"
        )

    def sentence(self) -> str:
        what = f"the value {self.value}" if self.value is not None else "each value"
        return (
            f"({self.alpha:g},{self.k})-anonymity: every class of lookalikes has at least "
            f"{self.k} rows, and {what} of {self.column} is held by a share of at most "
            f"{self.alpha:g} of them"
        )
