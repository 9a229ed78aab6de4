"""k-anonymity: every released row looks like at least k − 1 others (Samarati and Sweeney 1998)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import Flags, Requirement, check_number


@dataclass(frozen=True, slots=True)
class KAnonymity(Requirement):
    """Every class holds at least ``k`` rows.

    Grows: a class that holds another is no smaller.
    """

    k: int

    name: ClassVar[str] = "k-anonymity"
    by_size: ClassVar[bool] = True
    grows: ClassVar[bool] = True
    monotone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int):
            raise TypeError(f"k is {self.k!r}; k must be a whole number")
        if self.k < 2:
            raise ValueError(f"k is {self.k}; k must be 2 or more, since k=1 protects nobody")

    @staticmethod
    def at_level(level: float) -> KAnonymity:
        """From an anonymity level, 0 to 1: no row may be linked with a chance above 1 − level.

        Datafly's setting asks for a level "that computes to a value for k" and does not say how
        (Sweeney 2002, section 4.1). Here k = ⌈1 / (1 − level)⌉, so 0.8 is k = 5, and at least 2.
        """
        check_number("the anonymity level", level, 0, 1, least=True)
        if level == 1:
            raise ValueError(f"the anonymity level is {level}; it must be from 0 up to but not 1")
        return KAnonymity(max(2, math.ceil(1 / (1 - level) - 1e-9)))

    @property
    def smallest(self) -> int:
        return self.k

    def broken(self, classes: Classes) -> Flags:
        return classes.sizes < self.k

    def sentence(self) -> str:
        return (
            f"{self.k}-anonymity: every released row shares its quasi-identifiers with at least "
            f"{self.k - 1} other released row{'s' if self.k > 2 else ''}"
        )
