"""What safe means: the protocol that every privacy requirement follows."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes


@runtime_checkable
class Requirement(Protocol):
    """A rule on classes. A class that breaks it must not be released."""

    @property
    def monotone(self) -> bool:
        """Does merging classes that keep the rule always give a class that keeps it?"""
        ...

    @property
    def smallest(self) -> int:
        """No class with fewer rows can keep the rule (1 if the rule says nothing about size)."""
        ...

    def broken(self, classes: Classes) -> NDArray[np.bool_]:
        """Which classes break the rule."""
        ...

    def sentence(self) -> str:
        """The promise, as the certificate prints it."""
        ...
