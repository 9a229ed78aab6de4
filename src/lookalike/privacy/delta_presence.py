"""δ-presence: whether a person is in the table at all stays uncertain.

Nergiz, Atzori and Clifton 2007. For tables where being listed is itself the secret, as a register
of patients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import ROUNDING, Flags, Requirement, check_number


@dataclass(frozen=True, slots=True)
class DeltaPresence(Requirement):
    """``least`` ≤ released rows / people of the population ≤ ``most``, in every class.

    Monotone: the ratio of two classes together lies between theirs. It does not grow. If ``least``
    is above 0, people who look like no released row break it too, since they are known to be
    absent; then no class can be left out without breaking it. Hopeless is a class that nobody of
    the population looks like: the population should hold everyone of the table.
    """

    least: float
    most: float

    name: ClassVar[str] = "δ-presence"
    whole: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    of_population: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("the least δ", self.least, 0, 1, least=True)
        check_number("the most δ", self.most, 0, 1)
        if self.least > self.most:
            raise ValueError(f"δ is from {self.least:g} to {self.most:g}; put the smaller first")

    def broken(self, classes: Classes) -> Flags:
        assert classes.population is not None
        people = classes.population
        ratio = np.where(people > 0, classes.sizes / np.maximum(people, 1), np.inf)
        flags: Flags = (ratio > self.most + ROUNDING) | (ratio < self.least - ROUNDING)
        return flags

    def hopeless(self, classes: Classes) -> Flags:
        assert classes.population is not None
        nobody: Flags = classes.population == 0
        return nobody

    def met(self, classes: Classes, kept: Flags) -> bool:
        return self.least <= ROUNDING or classes.among(kept).outside == 0

    def sentence(self) -> str:
        return (
            f"({self.least:g},{self.most:g})-presence: whoever knows that a person is one of the "
            f"population finds them in the table with a chance from {self.least:g} to {self.most:g}"
        )
