"""Labels for intervals: a value, the name of a group, ``25–34``, ``{Divorced, Widowed}``.

All intervals of a column have different labels. A label that equals a value which it does not
stand for, or equals ``*``, is put in brackets.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.counts.level_table import TOP, LevelTable, Value
from lookalike.policy.hierarchy import Hierarchy
from lookalike.solution.interval_groups import KNOWN, MISSING, Groups
from lookalike.solution.interval_ranges import ranges
from lookalike.solution.recoding import ShownColumn

MAX_CHARACTERS = 48  # of a list of values; a longer one shows its first and last value
MAX_NAMED = 6  # intervals that a sentence names
SIGNS = set(',{}()"…')  # a value with one of these is quoted in a list


@dataclass(slots=True)
class _Part:
    """An interval: its leaves in order, and what they show at the finest level allowed."""

    leaves: list[int]  # without nulls
    names: list[str]
    null: bool  # does it hold null?


def shown_column(
    table: LevelTable,
    values: Sequence[Value],
    hierarchy: Hierarchy,
    cuts: Sequence[int],
    bounds: tuple[int, int],
) -> ShownColumn:
    """Label the intervals of a column; ``bounds`` are the finest and coarsest levels allowed."""
    low, high = bounds
    order = np.arange(table.leaves) if table.order is None else table.order
    of = np.empty(table.leaves, dtype=np.int32)
    of[order] = np.searchsorted(np.array(cuts, dtype=np.int64), np.arange(len(order)), side="right")
    if low == 0 and len(cuts) >= table.leaves - 1:
        return ShownColumn(of, None)
    if low == table.height:
        return ShownColumn(of, (TOP,) * (len(cuts) + 1))
    parts = _parts(table, order.tolist(), of.tolist(), low)
    groups = Groups(table, low)
    taken = {name for part in parts for name in part.names}
    if len(parts) == 1 and (len(taken) > 1 or (taken and parts[0].null)):
        name = groups.name_of_all() if high == table.height else groups.name(parts[0].leaves)
        if name is not None:
            return ShownColumn(of, (name,))
    named = [groups.name(part.leaves) for part in parts]
    by_range = ranges(table, values, hierarchy, [part.leaves for part in parts], low)
    if by_range and not all(n for n, part in zip(named, parts, strict=True) if len(part.names) > 1):
        named = by_range  # do not mix groups and ranges
    what = "groups" if low else "values"
    labels = [
        _label(part, name or _listed(part.names, what, len(taken)), taken)
        for part, name in zip(parts, named, strict=True)
    ]
    return ShownColumn(of, tuple(labels))


def _parts(table: LevelTable, order: list[int], of: list[int], low: int) -> list[_Part]:
    parts = [_Part([], [], False) for _ in range(max(of, default=0) + 1)]
    for leaf in order:
        part, name = parts[of[leaf]], table.labels[low][table.codes[leaf, low]]
        if name is None:
            part.null = True
        else:
            part.leaves.append(leaf)
            if part.names[-1:] != [name]:
                part.names.append(name)
    return parts


def _label(part: _Part, name: str, taken: set[str]) -> str | None:
    """One value shows itself, several show ``name``; null, if it is there, is added."""
    if not part.names:
        return None
    if len(part.names) > 1:
        label = _distinct(name, taken)
    else:
        label = part.names[0]
        if label == TOP and not part.null:
            label = _distinct(label, taken)  # a value that reads ``*``
    return _distinct(label + MISSING, taken) if part.null else label


def _listed(names: Sequence[str], what: str, known: int) -> str:
    """``{Divorced, Widowed}``, or ``{A … T, 20 values}`` if that would be long."""
    if len(names) == known:
        return KNOWN
    quoted = [_quoted(name) for name in names]
    label = f"{{{', '.join(quoted)}}}"
    if len(label) <= MAX_CHARACTERS or len(names) <= 2:
        return label
    return f"{{{quoted[0]} … {quoted[-1]}, {len(names)} {what}}}"


def _quoted(name: str) -> str:
    plain = name and name == name.strip() and name.isprintable() and not SIGNS & set(name)
    return name if plain else json.dumps(name, ensure_ascii=False)


def _distinct(label: str, taken: set[str]) -> str:
    """In brackets, if a value reads the same."""
    while label == TOP or label in taken:
        label = f"({label})"
    return label


def intervals_in_words(labels: Sequence[str | None]) -> str:
    """``5 intervals: ≤24, 25–34, 35–49, 50–64, ≥65``; of many intervals, the first few."""
    shown = ["missing" if label is None else label for label in labels[:MAX_NAMED]]
    while len(shown) > 1 and sum(map(len, shown)) > 2 * MAX_CHARACTERS:
        shown.pop()
    more = ", …" if len(shown) < len(labels) else ""
    count = f"{len(labels):,} interval{'' if len(labels) == 1 else 's'}"
    return f"{count}: {', '.join(shown)}{more}" if shown else count
