"""A date or year of birth beside an age, and a part of a date beside the whole date.

Age and birth are tied by the day on which the ages were taken. This reference date is in the data:
each row with a date of birth b and an age a says that it lies in the year after the a-th birthday,
and the day that lies in most of these years is the date (interval stabbing). With a year of birth,
age and year add up to one year or the year before. The attacker does not need to be told the date.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from lookalike.risks.kept_columns.coded_table import CodedColumn, CodedTable, Real
from lookalike.risks.kept_columns.findings import Kind
from lookalike.risks.kept_columns.relation import MIN_ABOVE_CHANCE, Relation, fitted_relation

MAX_AGE = 125
YEARS = (1850, 2150)
MIN_PLAUSIBLE = 0.98  # share of values that must be possible ages or years
YEAR = 365.2425  # days
NEAR_DAYS = 3  # what the mean length of a year may be off
PART_LENGTH = math.log(20)  # nats: which part of the date


def date_relation(table: CodedTable, kept: str, target: str) -> Relation | None:
    """The best of these relations, or None if the columns are not of these kinds."""
    best: Relation | None = None
    for relation in (*_ages(table, kept, target), *_parts(table, kept, target)):
        if best is None or relation.above_chance > best.above_chance:
            best = relation
    return best


def _ages(table: CodedTable, kept: str, target: str) -> Iterator[Relation]:
    shown, known = table.columns[kept], table.columns[target]
    for birth, age, birth_is_kept in ((shown, known, True), (known, shown, False)):
        if age.numbers is None or not _within(age.numbers, 0, MAX_AGE):
            continue
        years = age.numbers[age.codes]
        if birth.days is not None:
            at_reference = _ages_on_best_day(table, birth, years)
            options = [(at_reference, 0.0), (at_reference, 1.0)]
        elif birth.numbers is not None and _within(birth.numbers, *YEARS):
            options = list(_ages_by_year(table, birth.numbers[birth.codes], years))
        else:
            continue
        for computed, tolerance in options:
            here, there = (computed, years) if birth_is_kept else (years, computed)
            length = math.log(MAX_AGE * YEAR)  # which day is the reference
            relation = fitted_relation(
                table, Kind.DATE_AND_AGE, (kept,), target, here, there, tolerance, length
            )
            yield relation
            if relation.above_chance >= MIN_ABOVE_CHANCE:
                break  # a wider tolerance would only hide rows at risk


def _ages_by_year(table: CodedTable, births: Real, ages: Real) -> Iterator[tuple[Real, float]]:
    """The age from the year of birth: one reference year, or it and the year before."""
    use = np.isfinite(births) & np.isfinite(ages)
    if not use.any():
        return
    sums, places = np.unique(births[use] + ages[use], return_inverse=True)
    rows = np.bincount(places.reshape(-1), weights=table.counts[use])
    yield sums[int(np.argmax(rows))] - births, 0.0
    following = np.append(sums[1:] == sums[:-1] + 1, False)
    pairs = rows + np.where(following, np.append(rows[1:], 0), 0)
    yield sums[int(np.argmax(pairs))] + 0.5 - births, 0.5


def _ages_on_best_day(table: CodedTable, birth: CodedColumn, ages: Real) -> Real:
    """The ages on the day that agrees with most rows."""
    assert birth.days is not None
    days = birth.days[birth.codes]
    use = np.isfinite(days) & np.isfinite(ages)
    if not use.any():
        return np.full(len(days), np.nan)
    starts = days[use] + ages[use] * YEAR
    counts = table.counts[use]
    ends = np.concatenate([starts, starts + YEAR])
    change = np.concatenate([counts, -counts])
    order = np.lexsort((-change, ends))
    day = math.floor(ends[order][int(np.argmax(np.cumsum(change[order])))])
    best, most = np.full(len(days), np.nan), -1
    for reference in range(day - NEAR_DAYS, day + NEAR_DAYS + 1):
        computed = _ages_on(birth, reference)[birth.codes]
        rows = int(table.counts[use & (computed == ages)].sum())
        if rows > most:
            best, most = computed, rows
    return best


def _ages_on(birth: CodedColumn, reference: int) -> Real:
    """(values,) full years from each date of birth to the reference day."""
    assert birth.days is not None
    years, months, days = _calendar(np.append(birth.days, reference))
    before = months * 32 + days > months[-1] * 32 + days[-1]  # the birthday is still to come
    ages: Real = (years[-1] - years - before)[:-1]
    return ages


def _calendar(days: Real) -> tuple[Real, Real, Real]:
    """Year, month and day of days since the year 1; NaN stays."""
    fine = np.isfinite(days)
    since = np.where(fine, np.floor(days), 1).astype(np.int64) - 719_163  # 1970-01-01
    date = since.astype("datetime64[D]")
    year, month = date.astype("datetime64[Y]"), date.astype("datetime64[M]")
    parts = (
        year.astype(np.int64) + 1970,
        (month - year).astype(np.int64) + 1,
        (date - month).astype(np.int64) + 1,
    )
    years, months, of_month = (np.where(fine, part, np.nan) for part in parts)
    return years, months, of_month


PARTS: dict[str, tuple[Callable[[Real], Real], int, int]] = {  # and the numbers they can be
    "year": (lambda days: _calendar(days)[0], *YEARS),
    "month": (lambda days: _calendar(days)[1], 1, 12),
    "day": (lambda days: _calendar(days)[2], 1, 31),
    "quarter": (lambda days: (_calendar(days)[1] + 2) // 3, 1, 4),
    "weekday": (lambda days: (np.floor(days) - 1) % 7, 0, 7),  # 0001-01-01 is a Monday
}


def _parts(table: CodedTable, kept: str, target: str) -> Iterator[Relation]:
    """A number that is a part of a date; days of the week may start at 0 or 1, on any day."""
    shown, known = table.columns[kept], table.columns[target]
    for date, other, date_is_kept in ((shown, known, True), (known, shown, False)):
        if date.days is None or other.numbers is None:
            continue
        numbers = other.numbers[other.codes]
        for name, (part, low, high) in PARTS.items():
            if not _within(other.numbers, low, high):
                continue
            for shift in range(-1, 2) if name == "weekday" else (0,):
                computed = part(date.days)[date.codes]
                if name == "weekday":
                    computed = (computed + shift) % 7 if shift < 1 else computed + 1
                here, there = (computed, numbers) if date_is_kept else (numbers, computed)
                yield fitted_relation(
                    table, Kind.DATE_PART, (kept,), target, here, there, 0.0, PART_LENGTH
                )


def _within(numbers: Real, low: float, high: float) -> bool:
    """Whole numbers of this range, but for a few that stand for something else?"""
    values = numbers[np.isfinite(numbers)]
    if len(values) < 3:
        return False
    fits = (values == np.round(values)) & (values >= low) & (values <= high)
    return bool(fits.mean() >= MIN_PLAUSIBLE)
