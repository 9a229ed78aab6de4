"""What an attacker learns about a sensitive column, from the values of the rows that fit a person.

If all rows that fit a person have the same value, it is that person's value, even if it is unknown
which row is theirs (homogeneity, Machanavajjhala et al. 2007). If a value is more frequent among
these rows than in the whole release, the attacker has learned something (skewness, Li et al. 2007).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.labels.column_match import spans
from lookalike.counts.frequency_set import Histogram
from lookalike.counts.level_table import Value
from lookalike.counts.sensitive_spread import tally

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Inference:
    """What is learned about one sensitive column.

    A posterior is the share of a value among the rows that fit a person.
    """

    column: str
    values: int
    homogeneous: int  # people whose rows all have the same value
    certainty: float  # the largest posterior that is above the value's share in the release
    largest_ratio: float  # posterior : share in the release
    largest_gain: float  # posterior − share in the release
    nearly_sure: int  # people with a value whose posterior is above 0.9
    doubled: int  # people with a value at least twice as likely as in the release


class ValueEntries(NamedTuple):
    """The values of the rows that fit, for each person."""

    person: Whole
    code: Whole
    rows: Whole


class SensitiveValues:
    """The values of one column, for each released tuple."""

    def __init__(self, histogram: Histogram, tuples: int) -> None:
        self.values = histogram.values
        order = np.argsort(histogram.group, kind="stable")
        self.code = histogram.code[order].astype(np.int64)
        self.count = histogram.count[order].astype(np.int64)
        held = np.bincount(histogram.group, minlength=tuples)
        self.start = np.concatenate([[0], np.cumsum(held)])
        total = np.bincount(self.code, weights=self.count, minlength=len(self.values))
        self.total = total.astype(np.int64)

    def entries(self, person: Whole, place: Whole, people: int) -> ValueEntries:
        """From pairs of a person, 0 to ``people`` - 1, and a tuple that fits."""
        lengths = self.start[place + 1] - self.start[place]
        at = spans(self.start[place], lengths)
        of = np.repeat(person, lengths)
        return ValueEntries(*tally(of, self.code[at], self.count[at], people, len(self.values)))

    def first_of(self, place: int) -> Value:
        """The first value of one tuple."""
        return self.values[self.code[self.start[place]]]


class InferenceTally:
    """Adds up one column over chunks of people."""

    def __init__(self, column: str, held: SensitiveValues, rows: int) -> None:
        self.column, self.held, self.rows = column, held, rows
        self.homogeneous = self.nearly_sure = self.doubled = 0
        self.certainty = self.ratio = self.gain = 0.0

    def add(self, person: Whole, place: Whole, fitting: Whole, people: Whole) -> None:
        """``fitting``: rows that fit each person of the chunk; ``people``: how many are alike."""
        entries = self.held.entries(person, place, len(people))
        count = entries.rows
        if not len(count):
            return
        rows, total = fitting[entries.person], self.held.total[entries.code]
        posterior, share = count / rows, total / self.rows
        more = count * self.rows > total * rows  # in integers: no rounding
        self.certainty = max(self.certainty, float(posterior[more].max(initial=0.0)))
        self.ratio = max(self.ratio, float((posterior / share).max()))
        self.gain = max(self.gain, float((posterior - share).max()))
        distinct = np.bincount(entries.person, minlength=len(people))
        self.homogeneous += int(people[distinct == 1].sum())
        self.nearly_sure += _people(entries, 10 * count > 9 * rows, people)
        self.doubled += _people(entries, count * self.rows >= 2 * total * rows, people)

    def learned(self) -> Inference:
        """The totals."""
        return Inference(
            column=self.column,
            values=len(self.held.values),
            homogeneous=self.homogeneous,
            certainty=self.certainty,
            largest_ratio=self.ratio,
            largest_gain=self.gain,
            nearly_sure=self.nearly_sure,
            doubled=self.doubled,
        )


def _people(entries: ValueEntries, flags: NDArray[np.bool_], people: Whole) -> int:
    """How many people have at least one flagged entry."""
    any_of = np.zeros(len(people), dtype=np.bool_)
    any_of[entries.person[flags]] = True
    return int(people[any_of].sum())
