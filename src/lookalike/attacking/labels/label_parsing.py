"""Parse the text of a label: a range of numbers, a period of time, a list.

The forms are those in releases of this package, and common forms of others: ``20-29``, ``>=65``,
``[20, 30[``.
"""

from __future__ import annotations

import json
import re
from calendar import monthrange
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import NamedTuple

from lookalike.counts.level_table import Value
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.level_builder import missing

OR_MISSING = " or missing"
NOT_MISSING = "not missing"

_N = r"([+-]?\d+(?:\.\d+)?)"
_P = r"(\d+(?:\.\d+)?)"  # without a sign, around a hyphen
_BELOW = re.compile(rf"(≤|<=|<) ?{_N}")
_ABOVE = re.compile(rf"(≥|>=|>) ?{_N}")
_HALF_OPEN = re.compile(rf"\[{_N}, ?{_N}[)\[]")
_CLOSED = (
    re.compile(rf"\[?{_N}(?:–| to ){_N}\]?"),
    re.compile(rf"{_P} ?- ?{_P}"),
    re.compile(rf"\[{_N}, ?{_N}\]"),
)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?")
_ITEM = r'"(?:[^"\\]|\\.)*"|[^,{}()"…]+?'
_LIST = re.compile(rf"\{{(?:{_ITEM})(?:, (?:{_ITEM}))*\}}")
_ONE = re.compile(_ITEM.removesuffix("?"))
_ENDS = re.compile(rf"\{{({_ITEM}) … ({_ITEM}), \d+ (?:values|groups)\}}")


class Range(NamedTuple):
    """From one number to another; None is unbounded."""

    low: Decimal | None = None
    high: Decimal | None = None
    low_in: bool = True
    high_in: bool = True


def texts(values: Sequence[Value]) -> list[str | None]:
    """Cells as texts; None for nulls of any kind."""
    return [None if missing(value) else text(value) for value in values]


def bare(label: str) -> str:
    """Without the parentheses that distinguish a label from a value."""
    while len(label) > 1 and label.startswith("(") and label.endswith(")"):
        label = label[1:-1]
    return label


def number_range(label: str) -> Range | None:
    """``≤24``, ``25–34``, ``-5 to 3``, ``[20, 25)``, ``[23–31]``, ``≥65``."""
    if match := _BELOW.fullmatch(label):
        return Range(high=Decimal(match[2]), high_in=match[1] != "<")
    if match := _ABOVE.fullmatch(label):
        return Range(low=Decimal(match[2]), low_in=match[1] != ">")
    if match := _HALF_OPEN.fullmatch(label):
        return Range(Decimal(match[1]), Decimal(match[2]), high_in=False)
    for form in _CLOSED:
        if match := form.fullmatch(label):
            return Range(Decimal(match[1]), Decimal(match[2]))
    return None


def time_range(label: str) -> tuple[datetime, datetime] | None:
    """``1964``, ``≤1964-03``, ``1964-03 … 1967-02``, ``[1964 … 1979]``; both ends are included."""
    inside = label[1:-1] if label.startswith("[") and label.endswith("]") else label
    first, dots, last = inside.partition(" … ")
    if dots:
        begin, end = _period(first), _period(last)
        return (begin[0], end[1]) if begin and end else None
    if inside != label:
        return None
    whole = _period(label.lstrip("≤≥"))
    if whole is None:
        return None
    if label.startswith("≤"):
        return datetime.min, whole[1]
    return (whole[0], datetime.max) if label.startswith("≥") else whole


def _period(label: str) -> tuple[datetime, datetime] | None:
    """The first and last moment of a day, month, quarter, year, or several years, or a moment."""
    try:
        if _MOMENT.fullmatch(label):
            moment = datetime.fromisoformat(label)
            return moment, moment
        days = _days(label)
    except ValueError:  # such as 30 February
        return None
    if days is None:
        return None
    return datetime.combine(days[0], time.min), datetime.combine(days[1], time.max)


def _days(label: str) -> tuple[date, date] | None:
    if match := re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", label):
        day = date(int(match[1]), int(match[2]), int(match[3]))
        return day, day
    if match := re.fullmatch(r"(\d{4})-(\d\d)", label):
        return _months(int(match[1]), int(match[2]), int(match[2]))
    if match := re.fullmatch(r"(\d{4})-Q([1-4])", label):
        last = 3 * int(match[2])
        return _months(int(match[1]), last - 2, last)
    if match := re.fullmatch(r"(\d{4})(?:–(\d{4}))?", label):
        return date(max(1, int(match[1])), 1, 1), date(int(match[2] or match[1]), 12, 31)
    return None


def _months(year: int, first: int, last: int) -> tuple[date, date]:
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])


def list_items(label: str) -> list[str] | None:
    """The items of ``{Divorced, Widowed}``."""
    if _LIST.fullmatch(label) is None:
        return None
    items: list[str] = _ONE.findall(label[1:-1])
    return [_unquoted(item.strip()) for item in items if item.strip()]


def list_ends(label: str) -> tuple[str, str] | None:
    """The first and the last item of ``{A … T, 20 values}``."""
    match = _ENDS.fullmatch(label)
    return (_unquoted(match[1]), _unquoted(match[2])) if match else None


def _unquoted(item: str) -> str:
    return str(json.loads(item)) if item.startswith('"') else item
