"""Numbers and lists as a reader expects them in a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lookalike.counts.level_table import Value
from lookalike.policy.cell_text import is_null, text

MISSING = "(missing)"  # how a null is called; no engine writes it like this


def percent(share: float) -> str:
    """Never 0% of something, and never 100% of less than all."""
    if 0 < share < 0.001:
        return "under 0.1%"
    if 0.999 < share < 1:
        return "over 99.9%"
    return f"{share:.0%}" if share in (0, 1) else f"{share:.1%}"


def about(share: float) -> str:
    """The same in a sentence, where there is no column of numbers to be lined up with."""
    return percent(share).replace(".0%", "%")


def plural(number: int, one: str, more: str = "") -> str:
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def listed(names: Sequence[str]) -> str:
    """``zip, age and sex``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def some(names: Sequence[str], most: int = 8) -> str:
    """The same; of very many, the first few and how many more there are."""
    if len(names) <= most:
        return listed(names)
    return listed([*names[: most - 2], plural(len(names) - most + 2, "more column")])


def shown(value: Value) -> str:
    """A cell as a table of the report shows it."""
    return MISSING if is_null(value) else text(value)


def number(value: float) -> str:
    """All that matters of a cost: whole if it is large, four digits otherwise."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def sentence(words: str) -> str:
    """With a capital in front and a full stop behind."""
    return f"{words[:1].upper()}{words[1:]}".removesuffix(".") + "." if words else ""


def by_size(label: str) -> list[tuple[int, float, str]]:
    """A key that sorts texts by the numbers in them: ``[5, 10)`` before ``[10, 15)``."""
    parts = re.split(r"([0-9]+)", label)
    return [(0, float(one), "") if one.isdecimal() else (1, 0.0, one) for one in parts]
