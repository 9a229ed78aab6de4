"""What safe means: what every privacy requirement can say of itself.

A requirement judges classes of lookalikes, or the released table as a whole. How far it holds from
one recoding to the next decides how it may be searched for:

- *grows*: whatever holds a class that keeps the rule keeps it too (k-anonymity). Rows that have to
  be suppressed at some node have to be at every finer one.
- *monotone*: classes that keep the rule keep it when put together (entropy diversity), but a class
  that keeps it and one that does not may come to either. If a node needs no suppression, no coarser
  one does; with rows to suppress, a coarser node may need to suppress more.

A rule that is neither is judged node by node.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.counts.level_table import Value

Flags = NDArray[np.bool_]
ROUNDING = 1e-9  # shares and distances closer than this to their limit are at it


class Requirement:
    """A rule. What is not said otherwise is the cautious answer."""

    name: ClassVar[str] = "requirement"
    by_size: ClassVar[bool] = False  # broken just by classes of fewer than ``smallest`` rows
    grows: ClassVar[bool] = False
    monotone: ClassVar[bool] = False
    against_all: ClassVar[bool] = False  # holds classes against the release as a whole
    of_population: ClassVar[bool] = False  # asks who else there is outside the table
    whole: ClassVar[bool] = False  # asks something of the release as a whole, beside its classes

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive columns it speaks of."""
        return ()

    @property
    def smallest(self) -> int:
        """No class with fewer rows can keep the rule."""
        return 1

    def broken(self, classes: Classes) -> Flags:
        """Which classes break the rule, and must not be released."""
        return np.zeros(len(classes), dtype=np.bool_)

    def hopeless(self, classes: Classes) -> Flags:
        """Classes no part of which keeps the rule, whatever else is suppressed."""
        return self.broken(classes) if self.grows else np.zeros(len(classes), dtype=np.bool_)

    def met(self, classes: Classes, kept: Flags) -> bool:
        """Does a release of these classes keep what the rule says of the table as a whole?"""
        return True

    def fault(self, values: tuple[Value, ...]) -> str | None:
        """Why a column with these values cannot be judged, in a sentence; None if it can."""
        return None

    def sentence(self) -> str:
        """The promise, as the certificate prints it."""
        raise NotImplementedError


def check_number(
    what: str,
    given: object,
    above: float = -math.inf,
    most: float = math.inf,
    *,
    least: bool = False,
) -> None:
    """A finite number above (``least``: not below) one limit and not above the other."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        raise TypeError(f"{what} is not a number")
    if given < above or (given == above and not least) or given > most:
        low = f"{above:g} or more" if least else f"above {above:g}"
        high = f" and at most {most:g}" if math.isfinite(most) else ""
        raise ValueError(f"{what} is {given:g}; it must be {low}{high}")


def check_whole(what: str, given: object, least: int) -> None:
    """A whole number from some least on."""
    if isinstance(given, bool) or not isinstance(given, int):
        raise TypeError(f"{what} is not a whole number")
    if given < least:
        raise ValueError(f"{what} is {given}; it must be {least} or more")
