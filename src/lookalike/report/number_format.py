"""Numbers, lists and cells as text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lookalike.counts.level_table import Value
from lookalike.policy.cell_text import is_null, text

MISSING = "(missing)"  # the text for a null; no engine writes it like this
MAX_NAMES = 8  # in a shortened list


def percent(share: float) -> str:
    """A share in percent; only nothing is 0%, and only everything is 100%."""
    if 0 < share < 0.001:
        return "under 0.1%"
    if 0.999 < share < 1:
        return "over 99.9%"
    return f"{share:.0%}" if share in (0, 1) else f"{share:.1%}"


def about(share: float) -> str:
    """The same in a sentence, without a needless decimal."""
    return percent(share).replace(".0%", "%")


def plural(number: int, singular: str, several: str = "") -> str:
    """``1 row``, ``3 rows``."""
    return f"{number:,} {singular if number == 1 else several or singular + 's'}"


def listed(names: Sequence[str]) -> str:
    """``zip, age and sex``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def some(names: Sequence[str]) -> str:
    """The same, shortened: the first names and the number of the others."""
    if len(names) <= MAX_NAMES:
        return listed(names)
    return listed([*names[: MAX_NAMES - 2], plural(len(names) - MAX_NAMES + 2, "more column")])


def shown(value: Value) -> str:
    """A cell as text."""
    return MISSING if is_null(value) else text(value)


def number(value: float) -> str:
    """A cost: a whole number if it is large, else four digits."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def sentence(words: str) -> str:
    """With a capital letter at the beginning and a full stop at the end."""
    return f"{words[:1].upper()}{words[1:]}".removesuffix(".") + "." if words else ""


def by_size(label: str) -> list[tuple[int, float, str]]:
    """A key that sorts texts by the numbers in them: ``[5, 10)`` before ``[10, 15)``."""
    parts = re.split(r"([0-9]+)", label)
    return [(0, float(part), "") if part.isdecimal() else (1, 0.0, part) for part in parts]
