"""Distinct l-diversity: every class holds at least l different values of a sensitive column.

Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lookalike.counts.classes import Classes
from lookalike.privacy.l_diversity import LDiversity
from lookalike.privacy.requirement import CLASS, Flags, check_whole


@dataclass(frozen=True, slots=True)
class DistinctDiversity(LDiversity):
    """Every class holds at least ``l`` distinct values of ``column``; a null counts as a value.

    It grows: a class that contains another has all its values.

    Parameters
    ----------
    column : str
        A sensitive column of the policy.
    l : int
        Distinct values, 2 or more.

    Raises
    ------
    TypeError, ValueError
        If ``l`` is not a whole number from 2 up.

    Examples
    --------
    >>> import lookalike as la
    >>> print(la.DistinctDiversity("diagnosis", 3).sentence())
    distinct 3-diversity: every equivalence class (group of lookalikes) holds at least 3 different
    values of diagnosis
    """

    l: int  # noqa: E741 - the field's own name for it

    kind = "distinct"
    name: ClassVar[str] = "distinct l-diversity"
    grows: ClassVar[bool] = True
    monotone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_whole("l", self.l, 2)

    def broken(self, classes: Classes) -> Flags:
        return self.hopeless(classes)

    def sentence(self) -> str:
        return (
            f"distinct {self.l}-diversity: every {CLASS} holds at least {self.l} different values "
            f"of {self.column}"
        )
