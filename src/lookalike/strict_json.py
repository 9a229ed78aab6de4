"""JSON that has one meaning: a program and a person who read it find the same.

``json.loads`` keeps the last of two equal keys, reads NaN, and guesses the encoding. Somebody could
show one text to people and another one to programs. Numbers beyond 64 bits, ``1e999`` and half of a
character are read in different ways, too, or stop a program. All of this is refused here.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

MAX_WHOLE = 2**63  # whole numbers are smaller, and larger than its negative


def loads(text: str | bytes) -> Any:
    """The content of a JSON document in UTF-8; ValueError if it is not one, or is ambiguous."""
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
        content = json.loads(
            text,
            object_pairs_hook=_without_twins,
            parse_constant=_refuse,
            parse_int=_whole,
            parse_float=_finite,
        )
        if "\\u" in text:  # only an escape can be half of a character
            json.dumps(content, ensure_ascii=False).encode()
        return content
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key occurs twice")
    return content


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number of JSON")


def _whole(digits: str) -> int:
    number = int(digits)
    if abs(number) >= MAX_WHOLE:
        raise ValueError("a whole number is too large")
    return number


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("a number is too large")
    return number
