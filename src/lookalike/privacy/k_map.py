"""k-map: every released row looks like at least k people of the population (Sweeney 2002).

Weaker than k-anonymity, and enough against an outsider who does not know who is in the table: the
lookalikes may be people who are not in the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import Flags, Requirement, check_k


@dataclass(frozen=True, slots=True)
class KMap(Requirement):
    """At least ``k`` people of the population have the quasi-identifiers of every class.

    The policy has to name the population (``la.Population``). The requirement grows: a coarser
    label covers everybody whom a finer label covers.

    Parameters
    ----------
    k : int
        People of the population who look like a released row, 2 or more.

    Raises
    ------
    TypeError, ValueError
        If ``k`` is not a whole number from 2 up.

    Examples
    --------
    >>> import lookalike as la
    >>> print(la.KMap(5).sentence())
    5-map: the quasi-identifiers of every released row match at least 5 people of the population
    """

    k: int

    key = "k_map"
    example = "k_map = 5"

    name: ClassVar[str] = "k-map"
    grows: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    needs_population: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_k(self.k)

    def broken(self, classes: Classes) -> Flags:
        assert classes.population is not None
        return classes.population < self.k

    def sentence(self) -> str:
        return (
            f"{self.k}-map: the quasi-identifiers of every released row match at least {self.k} "
            "people of the population"
        )
