"""Entropy l-diversity: the values in a class are as uncertain as l equally frequent ones.

Machanavajjhala et al. 2006, definition 4.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lookalike.counts.classes import Classes
from lookalike.privacy.l_diversity import LDiversity
from lookalike.privacy.requirement import CLASS, ROUNDING, Flags, check_number


@dataclass(frozen=True, slots=True)
class EntropyDiversity(LDiversity):
    """−Σ p(E, s) ln p(E, s) ≥ ln ``l`` for every class E.

    Monotone: entropy is concave, so the entropy of two merged classes is at least the smaller of
    both. It does not grow: many rows with one value lower the entropy. A class of fewer than l
    distinct values has an entropy below ln l, and so has each of its parts.

    Parameters
    ----------
    column : str
        A sensitive column of the policy.
    l : float
        Equally frequent values that are as uncertain, above 1.

    Raises
    ------
    TypeError, ValueError
        If ``l`` is not such a number.

    Examples
    --------
    >>> import lookalike as la
    >>> print(la.EntropyDiversity("diagnosis", 2.5).sentence())
    entropy 2.5-diversity: in every equivalence class (group of lookalikes) the values of diagnosis
    are at least as uncertain as 2.5 equally frequent values
    """

    l: float  # noqa: E741 - the field's own name for it

    kind = "entropy"
    name: ClassVar[str] = "entropy l-diversity"
    monotone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("l", self.l, 1)

    def broken(self, classes: Classes) -> Flags:
        spread = classes.spreads[self.column]
        rows = np.maximum(classes.sizes, 1)
        # ln n − (1/n) Σ c ln c is the entropy of counts c that sum to n
        count = spread.count.astype(np.float64)
        entropy = np.log(rows) - spread.summed(count * np.log(count), len(rows)) / rows
        return entropy < math.log(self.l) - ROUNDING

    def sentence(self) -> str:
        return (
            f"entropy {self.l:g}-diversity: in every {CLASS} the values of {self.column} are at "
            f"least as uncertain as {self.l:g} equally frequent values"
        )
