"""A table as codes: one array of codes for each column over the distinct tuples, read three ways.

The distinct values of a column are read as numbers, as days or as texts, once for each value and
not once for each row. Numbers that are stored as texts count as numbers.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import Value
from lookalike.policy.hierarchies.date_reading import read_days
from lookalike.policy.hierarchies.number_reading import number

Whole = NDArray[np.int64]
Real = NDArray[np.float64]
Flags = NDArray[np.bool_]

MIN_READABLE = 0.9  # share of a column's values that must be numbers: some stand for "unknown"
HUGE = 1e300  # numbers from here on are not measurements
FIRST_VALUES = 50  # values that decide whether reading the whole column is worth it
MAX_DATES = 200_000  # distinct values; a column with more is a time stamp, not a date of a person
FEW_VALUES = 20  # a measurement with no more values than this is treated as a list of codes
_PLAIN_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_DATE_LIKE = re.compile(r"\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\s*\d{8}\s*$")


@dataclass(frozen=True, slots=True, eq=False)
class CodedColumn:
    """One column: the value of each distinct tuple as a code, and the values read as numbers."""

    name: str
    values: tuple[Value, ...]
    codes: NDArray[np.int32]  # (tuples,)
    present: Flags  # (values,) not null
    numbers: Real | None  # (values,) NaN for what is not a number; None for other columns
    days: Real | None  # (values,) days since 0001-01-01; None if the values are not dates

    @property
    def width(self) -> int:
        """Distinct values, null included."""
        return len(self.values)

    @property
    def known(self) -> Flags:
        """(tuples,) where the column is not null."""
        return self.present[self.codes]

    @property
    def scale(self) -> Real | None:
        """(values,) what numeric relations use: numbers, or days for dates."""
        return self.numbers if self.numbers is not None else self.days

    @property
    def is_continuous(self) -> bool:
        """Is it a measurement: numbers with decimals, and more than a few of them?"""
        if self.numbers is None:
            return False
        finite = self.numbers[np.isfinite(self.numbers)]
        return len(finite) > FEW_VALUES and bool((finite != np.round(finite)).any())

    def take(self, tuples: NDArray[np.int64]) -> CodedColumn:
        """The column over some of the tuples."""
        return CodedColumn(
            self.name, self.values, self.codes[tuples], self.present, self.numbers, self.days
        )


@dataclass(frozen=True, slots=True, eq=False)
class CodedTable:
    """The distinct tuples of some columns, and how many rows have each."""

    columns: Mapping[str, CodedColumn]
    counts: Whole  # (tuples,)

    @classmethod
    def of(cls, counts: FrequencySet) -> CodedTable:
        """Read the columns of a frequency set."""
        columns = {
            name: _column(name, counts.values[a], np.ascontiguousarray(counts.codes[:, a]))
            for a, name in enumerate(counts.names)
        }
        return cls(columns, counts.counts)

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return int(self.counts.sum())

    def rows_of(self, name: str) -> Whole:
        """(values,) rows that have each value of a column."""
        column = self.columns[name]
        return np.bincount(column.codes, weights=self.counts, minlength=column.width).astype(
            np.int64
        )

    def sample(self, tuples: int) -> CodedTable:
        """A random sample of the tuples, the same each time; the table itself if it is small."""
        if len(self.counts) <= tuples:
            return self
        drawn = np.random.default_rng(0).choice(len(self.counts), size=tuples, replace=False)
        return self.take(np.sort(drawn).astype(np.int64))

    def first(self, tuples: int) -> CodedTable:
        """This many tuples of a sample, evenly from all of it."""
        step = -(-len(self.counts) // tuples)
        return self if step <= 1 else self.take(np.arange(0, len(self.counts), step))

    def take(self, tuples: NDArray[np.int64]) -> CodedTable:
        """The table over some of the tuples."""
        columns = {name: column.take(tuples) for name, column in self.columns.items()}
        return CodedTable(columns, self.counts[tuples])


def _column(name: str, values: tuple[Value, ...], codes: NDArray[np.int32]) -> CodedColumn:
    present = np.array([value is not None for value in values], dtype=np.bool_)  # NaN is null
    days = _days(name, values, present)
    numbers = None if days is not None else _numbers(values, present)
    return CodedColumn(name, values, codes, present, numbers, days)


def _numbers(values: Sequence[Value], present: Flags) -> Real | None:
    """The values as floats, if nearly all that are not null are numbers."""
    places = np.flatnonzero(present).tolist()
    first = places[:: max(1, len(places) // FIRST_VALUES)]
    if not first or np.isnan([_number(values[i]) for i in first]).mean() > 0.5:
        return None
    read = np.full(len(values), np.nan)
    cells = [values[i] for i in places]
    if set(map(type, cells)) <= {int, float} and max(map(abs, cells)) < HUGE:  # type: ignore[arg-type]
        read[places] = np.array(cells, dtype=np.float64)
    else:
        read[places] = [_number(cell) for cell in cells]
    return read if np.isfinite(read[places]).mean() >= MIN_READABLE else None


def _number(value: Value) -> float:
    if type(value) is str and _PLAIN_NUMBER.fullmatch(value):  # the usual case, much faster
        return float(value)
    exact = number(value)
    if exact is None or not exact.is_finite() or abs(exact) >= HUGE:
        return math.nan
    return float(exact)


def _days(name: str, values: Sequence[Value], present: Flags) -> Real | None:
    """The values as days since the year 1, with the time of day as a fraction, if all are dates."""
    places = np.flatnonzero(present).tolist()
    if not places or len(places) > MAX_DATES:
        return None
    if not all(_looks_dated(values[i]) for i in places[:: max(1, len(places) // FIRST_VALUES)]):
        return None
    moments, _ = read_days(name, values, None)
    if any(moments[i] is None for i in places):
        return None
    days = [
        np.nan if moment is None else moment.toordinal() + _time_of_day(moment)
        for moment in moments
    ]
    return np.array(days)


def _looks_dated(value: Value) -> bool:
    if isinstance(value, str):
        return _DATE_LIKE.match(value) is not None
    return isinstance(value, datetime.date)


def _time_of_day(moment: datetime.datetime) -> float:
    return (moment.hour * 3600 + moment.minute * 60 + moment.second) / 86_400
