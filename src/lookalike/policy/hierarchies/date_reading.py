"""Read dates: one format for the whole column, detected only if the data leave no doubt."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence

import numpy as np

from lookalike.counts.level_table import Value
from lookalike.errors import Fault
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.level_builder import missing, values_fault

Moment = datetime.datetime  # local time; time zones are ignored

_Y, _M, _D = "(?P<y>[0-9]{4})", "(?P<m>[0-9]{1,2})", "(?P<d>[0-9]{1,2})"
_M2, _D2 = "(?P<m>[0-9]{2})", "(?P<d>[0-9]{2})"
_CLOCK = "(?:[T ](?P<clock>[0-9:.]+)(?:Z|[+-][0-9:]+)?)?"

SHAPES = {
    "YYYY-MM-DD": re.compile(f"{_Y}-{_M}-{_D}{_CLOCK}"),
    "YYYY/MM/DD": re.compile(f"{_Y}/{_M}/{_D}"),
    "DD.MM.YYYY": re.compile(rf"{_D}\.{_M}\.{_Y}"),
    "MM/DD/YYYY": re.compile(f"{_M}/{_D}/{_Y}"),
    "DD/MM/YYYY": re.compile(f"{_D}/{_M}/{_Y}"),
    "YYYYMMDD": re.compile(f"{_Y}{_M2}{_D2}"),
}


def read_days(
    name: str, values: Sequence[Value], pattern: str | None
) -> tuple[list[Moment | None], list[Fault]]:
    """Each value as a moment, None for a null; and faults for values that cannot be read.

    Date objects are used directly. Everything else is read as text, by ``pattern`` (in the syntax
    of strptime) or otherwise by the one of SHAPES that fits every text of the column.
    """
    moments: list[Moment | None] = [None] * len(values)
    written: dict[int, str] = {}
    for place, value in enumerate(values):
        if missing(value):
            continue
        moments[place] = _moment(value)
        if moments[place] is None:
            written[place] = text(value).strip()
    texts = list(written.values())
    if pattern is not None:
        read = [_by_pattern(text, pattern) for text in texts]
        faults = _unread(name, texts, read, pattern)
    else:
        read, faults = _by_shape(name, texts)
    for place, moment in zip(written, read, strict=True):
        moments[place] = moment
    return moments, faults


def _moment(value: Value) -> Moment | None:
    """The moment of a date object, None for anything else."""
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, datetime.datetime):
        return datetime.datetime.combine(value.date(), value.time())
    if isinstance(value, datetime.date):
        return datetime.datetime.combine(value, datetime.time())
    return None


def _by_pattern(written: str, pattern: str) -> Moment | None:
    try:
        return datetime.datetime.strptime(written, pattern).replace(tzinfo=None)
    except ValueError:
        return None


def _by_shape(name: str, texts: Sequence[str]) -> tuple[list[Moment | None], list[Fault]]:
    every = {shape: [_match(text, form) for text in texts] for shape, form in SHAPES.items()}
    fitting = {shape: read for shape, read in every.items() if all(read)}
    if not fitting:
        return _best(name, texts, every)
    readings = list(fitting.values())
    unsure = [text for text, *read in zip(texts, *readings, strict=True) if len(set(read)) > 1]
    if not unsure:
        return readings[0], []
    ways = " or ".join(fitting)
    fix = 'give the format: format = "%m/%d/%Y" or format = "%d/%m/%Y"'
    plural, singular = f"ambiguous dates: {ways}", f"an ambiguous date: {ways}"
    return readings[0], [values_fault(name, unsure, plural, fix, singular)]


def _best(
    name: str, texts: Sequence[str], readings: Mapping[str, list[Moment | None]]
) -> tuple[list[Moment | None], list[Fault]]:
    """No shape fits every text: report the texts that the best shape does not fit."""
    best = min(readings, key=lambda shape: readings[shape].count(None))
    read = readings[best]
    shown = best if any(read) else "any of " + ", ".join(SHAPES)
    return read, _unread(name, texts, read, shown)


def _unread(
    name: str, texts: Sequence[str], read: Sequence[Moment | None], shown: str
) -> list[Fault]:
    unread = [text for text, moment in zip(texts, read, strict=True) if moment is None]
    if not unread:
        return []
    fix = 'clean them, or give the format, for example format = "%d %B %Y"'
    form = f"in the form {shown}"
    return [values_fault(name, unread, f"not dates {form}", fix, f"not a date {form}")]


def _match(written: str, shape: re.Pattern[str]) -> Moment | None:
    match = shape.fullmatch(written)
    if match is None:
        return None
    parts = match.groupdict()
    try:
        day = Moment(int(parts["y"]), int(parts["m"]), int(parts["d"]))
        if clock := parts.get("clock"):
            return Moment.combine(day, datetime.time.fromisoformat(clock))
    except ValueError:  # such as 30 February or 25:00
        return None
    return day
