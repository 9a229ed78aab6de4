"""Read the labels of ranges of numbers and of days: ``≤24``, ``25–34``, ``≥1965``.

The days of a column are read again here, in the one date format that fits all of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from decimal import Decimal

from lookalike.counts.level_table import Value
from lookalike.policy.cell_text import is_null, text
from lookalike.verifier.labels.label_truth import FORMATS, span

NUMBER = r"(-?\d+(?:\.\d+)?)"
ReadRange = Callable[[str], list[int]]  # the leaves that a label is true of


def read_numbers(values: Sequence[Value]) -> ReadRange:
    """For a column of numbers."""
    numbers = numbers_of(values)
    leaves = sorted(numbers, key=numbers.__getitem__)
    keys = [numbers[leaf] for leaf in leaves]

    def true_of(label: str) -> list[int]:
        if match := re.fullmatch(rf"≤{NUMBER}", label):
            return leaves[: bisect_right(keys, Decimal(match[1]))]
        if match := re.fullmatch(rf"<{NUMBER}", label):
            return leaves[: bisect_left(keys, Decimal(match[1]))]
        if match := re.fullmatch(rf"≥{NUMBER}", label):
            return leaves[bisect_left(keys, Decimal(match[1])) :]
        if match := re.fullmatch(rf"{NUMBER}(?:–| to ){NUMBER}", label):
            begin, end = Decimal(match[1]), Decimal(match[2])
            return leaves[bisect_left(keys, begin) : bisect_right(keys, end)]
        if match := re.fullmatch(rf"\[{NUMBER}, {NUMBER}\)", label):
            begin, end = Decimal(match[1]), Decimal(match[2])
            return leaves[bisect_left(keys, begin) : bisect_left(keys, end)]
        return []

    return true_of


def read_days(values: Sequence[Value], pattern: str | None) -> ReadRange:
    """For a column of days or moments."""
    moments = moments_of(values, pattern)
    leaves = sorted(moments, key=moments.__getitem__)
    keys = [moments[leaf] for leaf in leaves]

    def true_of(label: str) -> list[int]:
        first, dots, last = label.partition(" … ")
        begin, end = _stretch(first.lstrip("≤≥")), _stretch((last or first).lstrip("≤≥"))
        if begin is None or end is None or (dots and label[0] in "≤≥"):
            return []
        since = None if label.startswith("≤") else bisect_left(keys, begin[0])
        until = None if label.startswith("≥") else bisect_right(keys, end[1])
        return leaves[since:until]

    return true_of


def _stretch(label: str) -> tuple[datetime, datetime] | None:
    """The first and the last moment of a day, month or year, or of a moment itself."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?", label):
        moment = datetime.fromisoformat(label)
        return moment, moment
    days = span(label)
    if days is None:
        return None
    return datetime.combine(days[0], time.min), datetime.combine(days[1], time.max)


def numbers_of(values: Sequence[Value]) -> dict[int, Decimal]:
    """The number of each value that is not null."""
    return {i: Decimal(str(v).strip()) for i, v in enumerate(values) if not is_null(v)}


def moments_of(values: Sequence[Value], pattern: str | None) -> dict[int, datetime]:
    """The moment of each value that is not null, by the wall clock."""
    moments: dict[int, datetime] = {}
    written: dict[int, str] = {}
    for leaf, value in enumerate(values):
        if isinstance(value, datetime):
            moments[leaf] = datetime.combine(value.date(), value.time())
        elif isinstance(value, date):
            moments[leaf] = datetime.combine(value, time.min)
        elif not is_null(value):
            written[leaf] = text(value).strip()
    readers: list[Callable[[str], datetime]] = (
        [_by(pattern)] if pattern else [_iso, *map(_by, FORMATS)]
    )
    for read in readers:
        try:
            return moments | {leaf: read(cell) for leaf, cell in written.items()}
        except ValueError:
            continue
    return moments


def _by(pattern: str) -> Callable[[str], datetime]:
    return lambda cell: datetime.strptime(cell, pattern).replace(tzinfo=None)


def _iso(cell: str) -> datetime:
    """``1965-3-14``, perhaps with a time of day and a zone, which is ignored."""
    day, _, clock = cell.replace("T", " ").partition(" ")
    clock = re.sub(r"(Z|[+-][0-9:]+)$", "", clock)
    at = time.fromisoformat(clock) if clock else time.min
    return datetime.combine(datetime.strptime(day, "%Y-%m-%d").date(), at)
