"""Distinct l-diversity: who finds a person's class finds l different values there.

Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import Flags, Requirement, check_whole


@dataclass(frozen=True, slots=True)
class DistinctDiversity(Requirement):
    """Every class holds at least ``l`` distinct values of ``column``; a null is a value.

    Grows: a class that holds another has all its values.
    """

    column: str
    l: int  # noqa: E741 - the field's own name for it

    name: ClassVar[str] = "distinct l-diversity"
    grows: ClassVar[bool] = True
    monotone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_whole("l", self.l, 2)

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def smallest(self) -> int:
        return self.l

    def broken(self, classes: Classes) -> Flags:
        return classes.spreads[self.column].distinct(len(classes)) < self.l

    def sentence(self) -> str:
        return (
            f"distinct {self.l}-diversity: every class of lookalikes holds at least {self.l} "
            f"different values of {self.column}"
        )
