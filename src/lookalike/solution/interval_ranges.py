"""Ranges as labels for intervals of numbers and dates: ``≤24``, ``25–34``, ``≥65``.

The outer ranges are open, so that they do not show the extremes of the table. Where the policy
hides the values themselves, a range ends at the finest bands, months or years that it allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from typing import TypeVar

from lookalike.counts.level_table import LevelTable, Value
from lookalike.policy.hierarchies.bands import Bands
from lookalike.policy.hierarchies.date_reading import read_days
from lookalike.policy.hierarchies.dates import Dates
from lookalike.policy.hierarchies.number_reading import number, plain
from lookalike.policy.hierarchy import Hierarchy

Part = Sequence[int]  # the leaves of an interval in order, without null
Labels = list[str | None]
Ordered = TypeVar("Ordered", Decimal, datetime)


def ranges(
    table: LevelTable,
    values: Sequence[Value],
    hierarchy: Hierarchy,
    parts: Sequence[Part],
    low: int,
) -> Labels | None:
    """A label for each interval that has ends; None if the column has no ranges.

    ``low`` is the finest level that may be shown.
    """
    if isinstance(hierarchy, Bands):
        return _bands(table, parts, low) if low else _numbers(values, parts)
    if isinstance(hierarchy, Dates):
        if low:  # from the months 1965-03 and 1967-02 to 1965-03 … 1967-02
            return _range_labels(_names(table, parts, low), _from_to)
        return _days(table.name, values, hierarchy, parts)
    return None


def _numbers(values: Sequence[Value], parts: Sequence[Part]) -> Labels | None:
    read = [number(value) for value in values]
    numbers = [[n for n in (read[leaf] for leaf in part) if n is not None] for part in parts]
    if not _disjoint(numbers):
        return None

    def between(first: str, last: str) -> str | None:
        if first == last:
            return None  # one number, written in two ways
        return f"{first} to {last}" if "-" in first + last else f"{first}–{last}"

    return _range_labels([(plain(min(n)), plain(max(n))) if n else None for n in numbers], between)


def _bands(table: LevelTable, parts: Sequence[Part], low: int) -> Labels:
    """From the bands ``[20, 25)`` and ``[35, 40)`` to ``[20, 40)``."""
    ends = [
        pair and (pair[0].strip("[)").split(", ")[0], pair[1].strip("[)").split(", ")[1])
        for pair in _names(table, parts, low)
    ]
    return _range_labels(ends, lambda first, last: f"[{first}, {last})", below="<")


def _days(
    name: str, values: Sequence[Value], hierarchy: Dates, parts: Sequence[Part]
) -> Labels | None:
    read, _ = read_days(name, values, hierarchy.format)
    moments = [[moment for moment in (read[leaf] for leaf in part) if moment] for part in parts]
    midnight = [[datetime.combine(m.date(), datetime.min.time()) for m in part] for part in moments]
    if _disjoint(midnight):
        days = [[m.date().isoformat() for m in part] for part in midnight]
        return _range_labels([(min(d), max(d)) if d else None for d in days], _from_to)
    if _disjoint(moments):  # a day is cut: show the time of day as well
        times = [[m.isoformat(" ") for m in part] for part in moments]
        return _range_labels([(t[0], t[-1]) if t else None for t in times], _from_to)
    return None


def _from_to(first: str, last: str) -> str:
    return first if first == last else f"{first} … {last}"


def _names(table: LevelTable, parts: Sequence[Part], low: int) -> list[tuple[str, str] | None]:
    """The labels of the first and the last value of each interval at a level; None without any."""
    names, codes = table.labels[low], table.codes[:, low]
    return [
        (names[codes[part[0]]] or "", names[codes[part[-1]]] or "") if part else None
        for part in parts
    ]


def _disjoint(parts: Sequence[Sequence[Ordered]]) -> bool:
    """Does each interval end before the next begins? One number can be written in two ways."""
    known = [part for part in parts if part]
    return all(max(part) < min(following) for part, following in pairwise(known))


def _range_labels(
    ends: Sequence[tuple[str, str] | None],
    between: Callable[[str, str], str | None],
    below: str = "≤",
) -> Labels:
    """The first interval by its upper end, the last by its lower, the others by both."""
    known = [at for at, pair in enumerate(ends) if pair is not None]
    labels: Labels = [None] * len(ends)
    for at, pair in enumerate(ends):
        if pair is None or len(known) == 1:
            continue
        if at == known[0]:
            labels[at] = f"{below}{pair[1]}"
        elif at == known[-1]:
            labels[at] = f"≥{pair[0]}"
        else:
            labels[at] = between(*pair)
    return labels
