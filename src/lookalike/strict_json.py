"""JSON that has one meaning: a program and a person who read it find the same.

``json.loads`` keeps the last of two equal keys, reads NaN, and guesses the encoding. Somebody could
show one text to people and another one to programs. All of this is refused here.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn


def loads(text: str | bytes) -> Any:
    """The content of a JSON document in UTF-8; ValueError if it is not one, or is ambiguous."""
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
        return json.loads(text, object_pairs_hook=_without_twins, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key occurs twice")
    return content


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number of JSON")
