"""(α,k)-anonymity: classes of at least k rows, of which at most a share α holds the same value.

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
from lookalike.privacy.requirement import (
    CLASS,
    ROUNDING,
    ColumnRequirement,
    Flags,
    check_k,
    check_number,
)


@dataclass(frozen=True, slots=True)
class AlphaK(ColumnRequirement):
    """|E| ≥ ``k``, and |rows of E with s| ≤ ``alpha`` · |E|, for ``value`` s or for every value.

    Monotone: the share in two merged classes lies between the shares of both. It does not grow. A
    class is hopeless if all its rows hold the value or, where every value counts, if it has fewer
    than 1/α distinct values.

    Parameters
    ----------
    column : str
        A sensitive column of the policy.
    alpha : float
        The largest share of a class that may hold the value, above 0 and at most 1.
    k : int
        Rows in the smallest class, 2 or more.
    value : str, optional
        The value to protect, compared as text; without it, every value.

    Raises
    ------
    TypeError, ValueError
        If ``alpha``, ``k`` or ``value`` is not as described.

    Examples
    --------
    >>> import lookalike as la
    >>> print(la.AlphaK("diagnosis", 0.5, 5, "HIV").sentence())
    (0.5,5)-anonymity: every equivalence class (group of lookalikes) has at least 5 rows, and at
    most a share of 0.5 of them hold the value HIV of diagnosis
    """

    alpha: float
    k: int
    value: str | None = None

    key = "alpha_k"
    required_keys = ("column", "alpha", "k")
    optional_keys = ("value",)
    example = 'alpha_k = [{ column = "diagnosis", alpha = 0.5, k = 5 }]'

    name: ClassVar[str] = "(α,k)-anonymity"
    monotone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("α", self.alpha, 0, 1)
        check_k(self.k)
        if self.value is not None and not isinstance(self.value, str):
            raise TypeError("the value is not text")

    @property
    def smallest(self) -> int:
        return self.k if self.value is not None else max(self.k, self._min_distinct)

    @property
    def _min_distinct(self) -> int:
        """Distinct values that a class needs at least, where every value counts."""
        return math.ceil(1 / self.alpha - ROUNDING)

    def broken(self, classes: Classes) -> Flags:
        frequent = self._held(classes) > self.alpha * classes.sizes + ROUNDING
        return (classes.sizes < self.k) | frequent

    def hopeless(self, classes: Classes) -> Flags:
        small = classes.sizes < self.smallest
        if self.value is None:
            distinct = classes.spreads[self.column].distinct(len(classes))
            return small | (distinct < self._min_distinct)
        return small | (self._held(classes) == classes.sizes) if self.alpha < 1 else small

    def _held(self, classes: Classes) -> NDArray[np.float64]:
        """(classes,) rows that hold the value, or the most frequent value."""
        spread = classes.spreads[self.column]
        if self.value is None:
            return np.maximum(spread.most(spread.count.astype(float), len(classes)), 0)
        is_value = np.array(
            [str(value) == self.value and value is not None for value in spread.values]
        )
        held = is_value[spread.code] if len(is_value) else np.zeros(0, dtype=bool)
        return spread.summed(np.where(held, spread.count, 0).astype(float), len(classes))

    def fault(self, values: tuple[Value, ...]) -> str | None:
        if self.value is None or self.value in values:
            return None
        return (
            f"no row of {self.column} holds the value named; values are compared as text, and "
            "upper and lower case differ"
        )

    def sentence(self) -> str:
        what = "the same value" if self.value is None else f"the value {self.value}"
        return (
            f"({self.alpha:g},{self.k})-anonymity: every {CLASS} has at least {self.k} rows, and "
            f"at most a share of {self.alpha:g} of them hold {what} of {self.column}"
        )
