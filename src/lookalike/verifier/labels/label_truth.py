"""Read a label: is it true of a value? Only its text is used, not the code that made it."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from lookalike.counts.level_table import TOP, Value
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchy import Hierarchy

Covers = Callable[[str, Value], bool]
FORMATS = ("%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y%m%d")


def covers(hierarchy: Hierarchy) -> Covers:
    """The function that reads the labels of this kind of hierarchy."""
    if (reader := _READERS.get(hierarchy.name)) is not None:
        return reader(hierarchy)
    return lambda label, value: label == TOP or hierarchy.covers(label, value)


def _band(label: str, value: Value) -> bool:
    """``[20, 25)`` is true of 20 and not of 25."""
    edges = re.fullmatch(r"\[(\S+), (\S+)\)", label)
    if edges is None:
        return False
    try:
        return Decimal(edges[1]) <= Decimal(str(value).strip()) < Decimal(edges[2])
    except InvalidOperation:
        return False


def _mask(label: str, value: Value) -> bool:
    """Every character shown is in the value; a ``*`` stands for any character or none."""
    return _pattern(label).fullmatch(text(value)) is not None


@lru_cache(maxsize=1 << 16)
def _pattern(label: str) -> re.Pattern[str]:
    parts = re.findall(r"\*+|[^*]+", label)  # one repeat for each run: ``.?.?.?`` would be slow
    pattern = "".join(f".{{0,{len(p)}}}" if p[0] == TOP else re.escape(p) for p in parts)
    return re.compile(pattern, re.DOTALL)


def _calendar(pattern: str | None) -> Covers:
    def inside(label: str, value: Value) -> bool:
        days = span(label)
        return days is not None and any(days[0] <= day <= days[1] for day in _days(value, pattern))

    return inside


@lru_cache(maxsize=1 << 16)
def span(label: str) -> tuple[date, date] | None:
    """First and last day of ``1965-03-14``, ``1965-03``, ``1965-Q1``, ``1965`` or ``1965–1969``."""
    if match := re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", label):
        day = date(int(match[1]), int(match[2]), int(match[3]))
        return day, day
    if match := re.fullmatch(r"(\d{4})-(0[1-9]|1[0-2])", label):
        return date(int(match[1]), int(match[2]), 1), _last(int(match[1]), int(match[2]))
    if match := re.fullmatch(r"(\d{4})-Q([1-4])", label):
        year, quarter = int(match[1]), int(match[2])
        return date(year, 3 * quarter - 2, 1), _last(year, 3 * quarter)
    if match := re.fullmatch(r"(\d{4})(?:–(\d{4}))?", label):
        first, last = int(match[1]), int(match[2] or match[1])
        return date(max(1, first), 1, 1), date(last, 12, 31)
    return None


def _last(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def _days(value: Value, pattern: str | None) -> list[date]:
    """The days that a value could mean: one, unless day and month could be swapped."""
    if isinstance(value, datetime):
        return [value.date()]
    if isinstance(value, date):
        return [value]
    written = str(value).strip()
    if pattern is not None:
        return [datetime.strptime(written, pattern).date()]
    if numbers := re.match(r"(\d{4})-(\d\d)-(\d\d)", written):
        return [date(int(numbers[1]), int(numbers[2]), int(numbers[3]))]
    days = []
    for known in FORMATS:
        try:
            days.append(datetime.strptime(written, known).date())
        except ValueError:
            continue
    return days


def _groups(rows: Iterable[Sequence[str]]) -> Covers:
    """A group of a tree is true of the leaves whose row names it."""
    groups = {row[0]: set(row) for row in rows}
    return lambda label, value: label in groups.get(text(value), ())


def _run(values: Iterable[str]) -> Covers:
    """``low–mid``: from one declared value to another, in the declared order."""
    place: Mapping[str, int] = {value: i for i, value in enumerate(values)}

    def inside(label: str, value: Value) -> bool:
        here = place.get(text(value))
        if here is None:
            return False
        if place.get(label) == here:
            return True
        dashes = [i for i, sign in enumerate(label) if sign == "–"]
        return any(
            place.get(label[:i], len(place)) <= here <= place.get(label[i + 1 :], -1)
            for i in dashes
        )

    return inside


_READERS: Mapping[str, Callable[[Any], Covers]] = {  # by the name of a built-in hierarchy
    "bands": lambda _: _band,
    "prefix": lambda _: _mask,
    "dates": lambda hierarchy: _calendar(hierarchy.format),
    "tree": lambda hierarchy: _groups(hierarchy.rows),
    "ordered": lambda hierarchy: _run(hierarchy.values),
}
