"""Recursive (c,l)-diversity: frequent values are not too frequent, rare values not too rare.

Machanavajjhala et al. 2006, definition 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lookalike.counts.classes import Classes
from lookalike.privacy.l_diversity import LDiversity
from lookalike.privacy.requirement import CLASS, ROUNDING, Flags, check_number, check_whole


@dataclass(frozen=True, slots=True)
class RecursiveDiversity(LDiversity):
    """r₁ < ``c`` · (r_l + r_{l+1} + … + r_m), where r₁ ≥ r₂ ≥ … are the counts of a class.

    Monotone, by the paper's lemma: in two merged classes the most frequent value has at most the
    sum of both r₁, and the counts from rank l on sum to at least as much as in both (they are what
    is left after the l − 1 most frequent values are taken away, and taking the same values from
    both classes leaves at least as much as taking each class's own). It does not grow. Fewer than
    l distinct values leave the sum empty, in every part of the class too.

    Parameters
    ----------
    column : str
        A sensitive column of the policy.
    c : float
        How many times more frequent the most frequent value may be, above 0.
    l : int
        The rank from which on counts are summed, 2 or more.

    Raises
    ------
    TypeError, ValueError
        If ``c`` or ``l`` is not such a number.

    Examples
    --------
    >>> import lookalike as la
    >>> print(la.RecursiveDiversity("diagnosis", 3, 2).sentence())
    recursive (3,2)-diversity: in every equivalence class (group of lookalikes) the most frequent
    value of diagnosis has fewer than 3 times as many rows as the 2nd most frequent and all rarer
    values together
    """

    c: float
    l: int  # noqa: E741 - the field's own name for it

    kind = "recursive"
    name: ClassVar[str] = "recursive (c,l)-diversity"
    monotone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("c", self.c, 0)
        check_whole("l", self.l, 2)

    def broken(self, classes: Classes) -> Flags:
        spread, class_count = classes.spreads[self.column], len(classes)
        order = np.lexsort([-spread.count, spread.of])
        of, count = spread.of[order], spread.count[order]
        begin = np.searchsorted(of, np.arange(class_count))
        rank = np.arange(len(of)) - begin[of]
        first = np.bincount(of, np.where(rank == 0, count, 0), class_count)
        tail = np.bincount(of, np.where(rank >= self.l - 1, count, 0), class_count)
        return first >= self.c * tail - ROUNDING

    def sentence(self) -> str:
        return (
            f"recursive ({self.c:g},{self.l})-diversity: in every {CLASS} the most frequent value "
            f"of {self.column} has fewer than {self.c:g} times as many rows as the "
            f"{_ordinal(self.l)} most frequent and all rarer values together"
        )


def _ordinal(number: int) -> str:
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
