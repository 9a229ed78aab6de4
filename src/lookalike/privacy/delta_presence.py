"""δ-presence: it stays uncertain whether a person is in the table at all.

Nergiz, Atzori and Clifton 2007. For tables where being listed is itself the secret, for example a
register of patients.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import ROUNDING, Flags, Requirement, check_number


@dataclass(frozen=True, slots=True)
class DeltaPresence(Requirement):
    """``least`` ≤ released rows / people of the population ≤ ``most``, in every class.

    The policy has to name the population (``la.Population``). Monotone: the ratio of two merged
    classes lies between theirs. It does not grow. If ``least`` is above 0, people who look like no
    released row break it too, since they are known to be absent; then no class can be suppressed
    without breaking it. A class is hopeless if nobody of the population looks like it: the
    population should contain everyone of the table.

    Parameters
    ----------
    least, most : float
        The smallest and the largest chance of being in the table, from 0 to 1; ``most`` is above 0.

    Raises
    ------
    TypeError, ValueError
        If they are not such numbers, or ``least`` is above ``most``.

    Examples
    --------
    >>> import lookalike as la
    >>> print(la.DeltaPresence(0, 0.5).sentence())
    (0,0.5)-presence: for an outsider who knows that a person belongs to the population, the chance
    that the person is in the table is from 0 to 0.5
    """

    least: float
    most: float

    key = "delta_presence"
    required_keys = ("most",)
    optional_keys = ("least",)
    example = "delta_presence = { least = 0.0, most = 0.5 }"
    once = True

    name: ClassVar[str] = "δ-presence"
    table_wide: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    needs_population: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("the least δ", self.least, 0, 1, low_allowed=True)
        check_number("the most δ", self.most, 0, 1)
        if self.least > self.most:
            raise ValueError(f"δ is from {self.least:g} to {self.most:g}; put the smaller first")

    @classmethod
    def from_policy(cls, spec: Any, base: Path) -> DeltaPresence:
        return cls(spec.get("least", 0.0), spec["most"])

    def broken(self, classes: Classes) -> Flags:
        assert classes.population is not None
        people = classes.population
        ratio = np.where(people > 0, classes.sizes / np.maximum(people, 1), np.inf)
        return (ratio > self.most + ROUNDING) | (ratio < self.least - ROUNDING)

    def hopeless(self, classes: Classes) -> Flags:
        assert classes.population is not None
        return classes.population < 1

    def met(self, classes: Classes, kept: Flags) -> bool:
        return self.least <= ROUNDING or classes.among(kept).outside == 0

    def sentence(self) -> str:
        return (
            f"({self.least:g},{self.most:g})-presence: for an outsider who knows that a person "
            "belongs to the population, the chance that the person is in the table is from "
            f"{self.least:g} to {self.most:g}"
        )
