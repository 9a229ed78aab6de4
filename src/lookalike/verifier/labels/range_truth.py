"""Read the labels of ranges of numbers and of days: ``≤24``, ``25–34``, ``≥1965``.

The days of a column are read again here, in the one date format that fits all of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from lookalike.counts.level_table import Value
from lookalike.policy.cell_text import is_null, text
from lookalike.verifier.labels.label_truth import FORMATS, span

NUMBER = r"(-?\d+(?:\.\d+)?)"


@dataclass(frozen=True, slots=True)
class Spans:
    """The values of a column in ascending order, and a function that reads a label."""

    keys: list[Any]
    leaves: list[int]
    read: Callable[[str], tuple[int, int] | None]

    def true_of(self, label: str) -> set[int]:
        """The leaves that a label is true of."""
        places = self.read(label)
        return set(self.leaves[slice(*places)]) if places else set()


def numbers_in_order(values: Sequence[Value]) -> Spans:
    """The numbers of a column."""
    known = [(Decimal(str(v).strip()), leaf) for leaf, v in enumerate(values) if not is_null(v)]
    known.sort()
    keys = [key for key, _ in known]

    def read(label: str) -> tuple[int, int] | None:
        if match := re.fullmatch(rf"≤{NUMBER}", label):
            return 0, bisect_right(keys, Decimal(match[1]))
        if match := re.fullmatch(rf"<{NUMBER}", label):
            return 0, bisect_left(keys, Decimal(match[1]))
        if match := re.fullmatch(rf"≥{NUMBER}", label):
            return bisect_left(keys, Decimal(match[1])), len(keys)
        if match := re.fullmatch(rf"{NUMBER}(?:–| to ){NUMBER}", label):
            return bisect_left(keys, Decimal(match[1])), bisect_right(keys, Decimal(match[2]))
        if match := re.fullmatch(rf"\[{NUMBER}, {NUMBER}\)", label):
            return bisect_left(keys, Decimal(match[1])), bisect_left(keys, Decimal(match[2]))
        return None

    return Spans(keys, [leaf for _, leaf in known], read)


def days_in_order(values: Sequence[Value], pattern: str | None) -> Spans:
    """The days or moments of a column."""
    moments = moments_of(values, pattern)
    known = sorted((moment, leaf) for leaf, moment in moments.items())
    keys = [key for key, _ in known]

    def read(label: str) -> tuple[int, int] | None:
        first, dots, last = label.partition(" … ")
        begin, end = _stretch(first.lstrip("≤≥")), _stretch((last or first).lstrip("≤≥"))
        if begin is None or end is None or (dots and label[0] in "≤≥"):
            return None
        return (
            0 if label.startswith("≤") else bisect_left(keys, begin[0]),
            len(keys) if label.startswith("≥") else bisect_right(keys, end[1]),
        )

    return Spans(keys, [leaf for _, leaf in known], read)


def _stretch(label: str) -> tuple[datetime, datetime] | None:
    """The first and the last moment of a day, month or year, or of a moment itself."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?", label):
        moment = datetime.fromisoformat(label)
        return moment, moment
    days = span(label)
    if days is None:
        return None
    return datetime.combine(days[0], time.min), datetime.combine(days[1], time.max)


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
