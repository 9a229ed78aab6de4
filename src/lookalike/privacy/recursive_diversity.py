"""Recursive (c,l)-diversity: the most frequent value is not too frequent, the rarer not too rare.

Machanavajjhala et al. 2006, definition 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import ROUNDING, Flags, Requirement, check_number, check_whole


@dataclass(frozen=True, slots=True)
class RecursiveDiversity(Requirement):
    """r₁ < ``c`` · (r_l + r_{l+1} + … + r_m), where r₁ ≥ r₂ ≥ … are the counts of a class.

    Monotone: the paper's lemma. Of two classes together, the most frequent value has at most the
    sum of both r₁, and the sum of the ranks from l on is at least that of both (it is what is left
    after the l − 1 most frequent are taken, and taking the same values from both leaves no less
    than taking each class's own). It does not grow. Fewer than l distinct values leave the sum
    empty, in every part too.
    """

    column: str
    c: float
    l: int  # noqa: E741 - the field's own name for it

    name: ClassVar[str] = "recursive (c,l)-diversity"
    monotone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("c", self.c, 0)
        check_whole("l", self.l, 2)

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def smallest(self) -> int:
        return self.l

    def broken(self, classes: Classes) -> Flags:
        spread, many = classes.spreads[self.column], len(classes)
        order = np.lexsort([-spread.count, spread.of])
        of, count = spread.of[order], spread.count[order]
        begin = np.searchsorted(of, np.arange(many))
        rank = np.arange(len(of)) - begin[of]
        first = np.bincount(of, weights=np.where(rank == 0, count, 0), minlength=many)
        tail = np.bincount(of, weights=np.where(rank >= self.l - 1, count, 0), minlength=many)
        return first >= self.c * tail - ROUNDING

    def hopeless(self, classes: Classes) -> Flags:
        return classes.spreads[self.column].distinct(len(classes)) < self.l

    def sentence(self) -> str:
        return (
            f"recursive ({self.c:g},{self.l})-diversity: in every class of lookalikes the most "
            f"frequent value of {self.column} has fewer than {self.c:g} times the rows of all "
            f"values from the {_th(self.l)} most frequent on"
        )


def _th(number: int) -> str:
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
