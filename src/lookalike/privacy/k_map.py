"""k-map: everybody in the release looks like at least k people of the population (Sweeney 2002).

Weaker than k-anonymity in the table, and enough against an outsider who does not know who is in it:
the lookalikes may be people whom the table does not hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import Flags, Requirement


@dataclass(frozen=True, slots=True)
class KMap(Requirement):
    """At least ``k`` people of the population show the quasi-identifiers of every class.

    Grows: a coarser label covers all people that a finer one did.
    """

    k: int

    name: ClassVar[str] = "k-map"
    grows: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    of_population: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int):
            raise TypeError("k is not a whole number")
        if self.k < 2:
            raise ValueError(f"k is {self.k}; k must be 2 or more, since k=1 protects nobody")

    def broken(self, classes: Classes) -> Flags:
        assert classes.population is not None
        return classes.population < self.k

    def sentence(self) -> str:
        return (
            f"{self.k}-map: the quasi-identifiers of every released row fit at least {self.k} "
            "people of the population"
        )
