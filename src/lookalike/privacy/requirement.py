"""The base class of a privacy requirement, and checks of the numbers given to one.

A requirement judges equivalence classes (groups of lookalikes), or the released table as a whole.
Two properties say how it behaves from one recoding to the next, and so how it can be searched for:

- *grows* (k-anonymity): a class that contains a class meeting the requirement meets it too. Rows
  that have to be suppressed at some lattice node have to be suppressed at every finer node.
- *monotone* (entropy l-diversity): classes that meet the requirement meet it when they are merged,
  but merging a class that meets it with one that does not can go either way. If a node needs no
  suppression, no coarser node does; where rows are suppressed, a coarser node may suppress more.

A requirement that has neither property is checked at every node.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.counts.level_table import Value
from lookalike.words import TERMS

Flags = NDArray[np.bool_]
ROUNDING = 1e-9  # shares and distances closer than this to their limit count as equal to it
CLASS = TERMS["equivalence class"].label


class Requirement:
    """Base class of requirements. The defaults are the cautious answers."""

    key: ClassVar[str] = ""  # in policy files
    required_keys: ClassVar[tuple[str, ...]] = ()  # of its table there; (): it is one number
    optional_keys: ClassVar[tuple[str, ...]] = ()
    example: ClassVar[str] = ""  # a line of a policy file
    once: ClassVar[bool] = False  # its table is given once, not in a list
    larger_is_stricter: ClassVar[bool] = True  # of two numbers, which says everything

    name: ClassVar[str] = "requirement"
    by_size: ClassVar[bool] = False  # broken exactly by classes of fewer than ``smallest`` rows
    grows: ClassVar[bool] = False
    monotone: ClassVar[bool] = False
    compares_to_release: ClassVar[bool] = False  # compares classes with the release as a whole
    needs_population: ClassVar[bool] = False  # needs a table of people outside the released one
    table_wide: ClassVar[bool] = False  # also limits the release as a whole
    needs_sample: ClassVar[bool] = False  # promises something only of a secret random sample

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive columns that it needs counted."""
        return ()

    @property
    def smallest(self) -> int:
        """The fewest rows that a class meeting the requirement can have."""
        return 1

    def broken(self, classes: Classes) -> Flags:
        """(classes,) which classes break the requirement and must not be released."""
        return classes.sizes < (self.smallest if self.by_size else 0)

    def hopeless(self, classes: Classes) -> Flags:
        """(classes,) which classes have no part that meets it, whatever else is suppressed."""
        return self.broken(classes) if self.grows else np.zeros(len(classes), dtype=np.bool_)

    def met(self, classes: Classes, kept: Flags) -> bool:
        """Does a release of the kept classes meet the table-wide part of the requirement?"""
        return True

    def fault(self, values: tuple[Value, ...]) -> str | None:
        """A sentence on why a column with these values cannot be judged; None if it can."""
        return None

    def rows_fault(self, rows: int) -> str | None:
        """A sentence on why a table of ``rows`` rows cannot be judged; None if it can."""
        return None

    def sentence(self) -> str:
        """The promise in words, as the certificate prints it."""
        raise NotImplementedError

    @classmethod
    def from_policy(cls, spec: Any, base: Path) -> Requirement:
        """The requirement of a number or a table of a policy file; paths are below ``base``."""
        made: Any = cls
        return made(**spec) if cls.required_keys else made(spec)  # type: ignore[no-any-return]

    def to_policy(self, *, whole: bool = False) -> Any:
        """The inverse of ``from_policy``; ``whole`` writes out what could be a path."""
        values = {part.name: getattr(self, part.name) for part in fields(self)}  # type: ignore[arg-type]
        if not self.required_keys:
            [number] = values.values()
            return number
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class ColumnRequirement(Requirement):
    """Base class of requirements on the values of one sensitive column."""

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)


def check_number(
    what: str, given: object, low: float, high: float = math.inf, *, low_allowed: bool = False
) -> None:
    """Raise unless it is a finite number above ``low`` (or equal, if allowed), up to ``high``."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        raise TypeError(f"{what} is not a number")
    if given < low or (given == low and not low_allowed) or given > high:
        bounds = f"{low:g} or more" if low_allowed else f"above {low:g}"
        bounds += f" and at most {high:g}" if math.isfinite(high) else ""
        raise ValueError(f"{what} is {given:g}; it must be {bounds}")


def check_whole(what: str, given: object, low: int, reason: str = "") -> None:
    """Raise unless it is a whole number, ``low`` or more."""
    if isinstance(given, bool) or not isinstance(given, int):
        raise TypeError(f"{what} is not a whole number")
    if given < low:
        raise ValueError(f"{what} is {given}; it must be {low} or more{reason}")


def check_k(k: object) -> None:
    """Raise unless it is a whole number, 2 or more."""
    check_whole("k", k, 2, ", since k=1 protects nobody")
