"""Ranges of numbers and of days, read off their labels: ``≤24``, ``25–34``, ``≥1965``.

Days of a column are read here once more, in the one way of writing that fits all of them.
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
from lookalike.verifier.labels.label_truth import span

NUMBER = r"(-?\d+(?:\.\d+)?)"
WRITTEN = ("%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y%m%d")


@dataclass(frozen=True, slots=True)
class Spans:
    """Values by their size, and how a label is read: from where to where, ends included or not."""

    keys: list[Any]
    leaves: list[int]
    read: Callable[[str], tuple[int, int] | None]

    def true_of(self, label: str) -> set[int]:
        found = self.read(label)
        return set(self.leaves[slice(*found)]) if found else set()


def numbers_in_order(values: Sequence[Value]) -> Spans:
    known = [(Decimal(str(v).strip()), leaf) for leaf, v in enumerate(values) if not is_null(v)]
    known.sort()
    keys = [key for key, _ in known]

    def read(label: str) -> tuple[int, int] | None:
        if found := re.fullmatch(rf"≤{NUMBER}", label):
            return 0, bisect_right(keys, Decimal(found[1]))
        if found := re.fullmatch(rf"<{NUMBER}", label):
            return 0, bisect_left(keys, Decimal(found[1]))
        if found := re.fullmatch(rf"≥{NUMBER}", label):
            return bisect_left(keys, Decimal(found[1])), len(keys)
        if found := re.fullmatch(rf"{NUMBER}(?:–| to ){NUMBER}", label):
            return bisect_left(keys, Decimal(found[1])), bisect_right(keys, Decimal(found[2]))
        if found := re.fullmatch(rf"\[{NUMBER}, {NUMBER}\)", label):
            return bisect_left(keys, Decimal(found[1])), bisect_left(keys, Decimal(found[2]))
        return None

    return Spans(keys, [leaf for _, leaf in known], read)


def days_in_order(values: Sequence[Value], pattern: str | None) -> Spans:
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
    """Each value that is no null as the wall clock showed it."""
    found: dict[int, datetime] = {}
    written: dict[int, str] = {}
    for leaf, value in enumerate(values):
        if isinstance(value, datetime):
            found[leaf] = datetime.combine(value.date(), value.time())
        elif isinstance(value, date):
            found[leaf] = datetime.combine(value, time.min)
        elif not is_null(value):
            written[leaf] = text(value).strip()
    ways: list[Callable[[str], datetime]] = (
        [_by(pattern)] if pattern else [_iso, *map(_by, WRITTEN)]
    )
    for way in ways:
        try:
            return found | {leaf: way(one) for leaf, one in written.items()}
        except ValueError:
            continue
    return found


def _by(pattern: str) -> Callable[[str], datetime]:
    return lambda one: datetime.strptime(one, pattern).replace(tzinfo=None)


def _iso(one: str) -> datetime:
    """``1965-3-14``, perhaps with a time of day and a zone, which is left aside."""
    day, _, clock = one.replace("T", " ").partition(" ")
    clock = re.sub(r"(Z|[+-][0-9:]+)$", "", clock)
    at = time.fromisoformat(clock) if clock else time.min
    return datetime.combine(datetime.strptime(day, "%Y-%m-%d").date(), at)
