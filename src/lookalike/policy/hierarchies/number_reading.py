"""Read cells as exact decimal numbers: a cell is the number that is printed for it."""

from __future__ import annotations

import numbers
import re
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from lookalike.counts.level_table import Value

_NUMERIC = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?")
_DECIMAL_COMMA = re.compile(r"[+-]?(?:[0-9]+|[0-9]{1,3}(?:[. ][0-9]{3})+),[0-9]+")
_MAX_EXPONENT = 400  # powers of 10, in both directions: beyond any float, still fast to compute


def number(value: Value) -> Decimal | None:
    """The value as an exact decimal, which may be infinite; None if it is not a number.

    0.1 is one tenth, not the nearest binary float. True and false are not numbers.
    """
    if isinstance(value, str):
        stripped = value.strip()
        return Decimal(stripped) if _NUMERIC.fullmatch(stripped) else None
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, numbers.Integral):
        return Decimal(int(value))
    if isinstance(value, float | np.floating):
        read = Decimal(str(value))
        return None if read.is_nan() else read
    if isinstance(value, Decimal):
        return None if value.is_nan() else value
    return None


def floats(cells: Sequence[str]) -> list[float] | None:
    """Texts as floats if all are numbers, else None; much faster than ``number`` for each."""
    stripped = list(map(str.strip, cells))
    return list(map(float, stripped)) if all(map(_NUMERIC.fullmatch, stripped)) else None


def has_decimal_comma(value: Value) -> bool:
    """Does the text look like a number with a decimal comma, such as 172,4 or 1.234,5?"""
    return isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value.strip()) is not None


def within_range(value: Decimal) -> bool:
    """Is it finite, and of a size for which exact arithmetic is fast?"""
    return value.is_finite() and (not value or abs(value.adjusted()) <= _MAX_EXPONENT)


def plain(value: Decimal) -> str:
    """The number in plain digits: 20, 0.5, -3."""
    digits = f"{value:f}"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def toml_number(value: Decimal) -> int | float | str:
    """The form in a policy file: an int, a float if that is exact, otherwise text."""
    if value == value.to_integral_value():
        return int(value)
    return float(value) if Decimal(str(float(value))) == value else plain(value)
