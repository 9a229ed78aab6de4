"""k-anonymity: every released row looks like at least k − 1 others (Samarati and Sweeney 1998)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from lookalike.privacy.requirement import Requirement, check_k, check_number

DEFAULT_K = 5  # where nobody says how many rows should look alike


@dataclass(frozen=True, slots=True)
class KAnonymity(Requirement):
    """Every equivalence class (group of lookalikes) has at least ``k`` rows.

    It grows: a class that contains another is at least as large.

    Parameters
    ----------
    k : int
        Rows in the smallest class, 2 or more.

    Raises
    ------
    TypeError, ValueError
        If ``k`` is not a whole number from 2 up.

    Examples
    --------
    >>> import lookalike as la
    >>> print(la.KAnonymity(5).sentence())
    5-anonymity: every released row shares its quasi-identifiers with at least 4 other released
    rows
    """

    k: int

    key = "k_anonymity"
    example = "k_anonymity = 5"

    name: ClassVar[str] = "k-anonymity"
    by_size: ClassVar[bool] = True
    grows: ClassVar[bool] = True
    monotone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_k(self.k)

    @staticmethod
    def at_level(level: float) -> KAnonymity:
        """The k-anonymity of an anonymity level: no row is linked with a chance above 1 − level.

        Datafly has a setting for a level "that computes to a value for k" and does not define it
        (Sweeney 2002, section 4.1). Here k = ⌈1 / (1 − level)⌉, and at least 2.

        Parameters
        ----------
        level : float
            From 0 up to, but not including, 1.

        Returns
        -------
        KAnonymity

        Raises
        ------
        TypeError, ValueError
            If ``level`` is not such a number.

        Examples
        --------
        >>> import lookalike as la
        >>> la.KAnonymity.at_level(0.8)
        KAnonymity(k=5)
        """
        check_number("the anonymity level", level, 0, 1, low_allowed=True)
        if level == 1:
            raise ValueError(f"the anonymity level is {level}; it must be less than 1")
        return KAnonymity(max(2, math.ceil(1 / (1 - level) - 1e-9)))

    @property
    def smallest(self) -> int:
        return self.k

    def sentence(self) -> str:
        return (
            f"{self.k}-anonymity: every released row shares its quasi-identifiers with at least "
            f"{self.k - 1} other released row{'s' if self.k > 2 else ''}"
        )


class AnonymityLevel(KAnonymity):
    """k-anonymity as a policy file may also write it, by a level."""

    key = "anonymity_level"
    example = "anonymity_level = 0.8 for k = 5, 0.9 for k = 10"

    @classmethod
    def from_policy(cls, spec: Any, base: Path) -> KAnonymity:
        return KAnonymity.at_level(spec)
