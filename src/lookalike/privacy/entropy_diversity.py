"""Entropy l-diversity: the values in a class are as uncertain as l equally frequent ones.

Machanavajjhala et al. 2006, definition 4.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import ROUNDING, Flags, Requirement, check_number


@dataclass(frozen=True, slots=True)
class EntropyDiversity(Requirement):
    """−Σ p(E, s) ln p(E, s) ≥ ln ``l`` for every class E.

    Monotone: entropy is concave, so that of two classes together is at least the smaller. It does
    not grow: many rows of one value drown the others. A class of fewer than l distinct values has
    an entropy below ln l, and so has each of its parts.
    """

    column: str
    l: float  # noqa: E741 - the field's own name for it

    name: ClassVar[str] = "entropy l-diversity"
    monotone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("l", self.l, 1)

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def smallest(self) -> int:
        return math.ceil(self.l - ROUNDING)

    def broken(self, classes: Classes) -> Flags:
        spread = classes.spreads[self.column]
        rows = np.maximum(classes.sizes, 1)
        # ln n − (1/n) Σ c ln c is the entropy of counts c that sum to n
        count = spread.count.astype(np.float64)
        entropy = np.log(rows) - spread.summed(count * np.log(count), len(rows)) / rows
        flags: Flags = entropy < math.log(self.l) - ROUNDING
        return flags

    def hopeless(self, classes: Classes) -> Flags:
        return classes.spreads[self.column].distinct(len(classes)) < self.smallest

    def sentence(self) -> str:
        return (
            f"entropy {self.l:g}-diversity: in every class of lookalikes the values of "
            f"{self.column} are as uncertain as {self.l:g} equally frequent ones"
        )
