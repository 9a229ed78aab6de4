"""A cell as text, the same for every engine."""

from __future__ import annotations

import datetime
import math

from lookalike.counts.level_table import Value


def is_null(value: Value) -> bool:
    """Is it null or NaN?"""
    return value is None or (isinstance(value, float) and math.isnan(value))


def text(value: Value) -> str:
    """The value as a hierarchy file writes it.

    A whole float is written as an int, because a column of ints with nulls often arrives as floats.
    """
    if type(value) is str or type(value) is int:  # the usual types first: this is called often
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if (
        isinstance(value, datetime.datetime)
        and value.tzinfo is None
        and value.time() == datetime.time()
    ):
        return value.date().isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value)
