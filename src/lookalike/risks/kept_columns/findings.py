"""Findings about kept columns: the kind of risk, the columns, the rows at risk, a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """Why a kept column, or several together, is a risk."""

    FUNCTION = "function"
    AFFINE = "affine"
    LOGARITHM = "logarithm"
    POWER = "power"
    MONOTONE = "monotone"
    LINEAR = "linear"
    DATE_AND_AGE = "date and age"
    DATE_PART = "date part"
    TEXT = "text"
    TOGETHER = "together"
    IDENTIFIER = "identifier"
    NOT_EXAMINED = "not examined"


DEPENDENCIES = frozenset(Kind) - {Kind.IDENTIFIER, Kind.NOT_EXAMINED}


@dataclass(frozen=True, slots=True)
class KeptColumnFinding:
    """One risk of columns that are kept unchanged.

    ``rows`` are the rows at risk: for a dependency, the rows that fewer than k rows fit once the
    kept columns stand in for what they restore; for an identifier, the rows that hold one; for
    singling out, the rows that are unique. ``share`` is the share of rows for which the relation
    holds. The sentence names columns and counts, never cell values.
    """

    columns: tuple[str, ...]  # kept columns
    kind: Kind
    reveals: tuple[str, ...]  # generalized or dropped columns
    rows: int
    refuses: bool  # would refuse a release unless it is accepted
    sentence: str
    share: float = 1.0

    def __post_init__(self) -> None:
        if not self.columns:
            raise ValueError("a finding names at least one kept column")
        if self.rows < 0:
            raise ValueError(f"rows is {self.rows}; a number of rows is 0 or more")
        if not 0 <= self.share <= 1:
            raise ValueError(f"share is {self.share}; a share is between 0 and 1")


@dataclass(frozen=True, slots=True)
class SinglingOut:
    """A set of kept columns, and how many rows are unique over it."""

    columns: tuple[str, ...]
    rows: int
    exact: bool = True  # counted, not estimated from a part of the table
