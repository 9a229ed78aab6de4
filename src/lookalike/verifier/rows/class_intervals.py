"""The intervals that cells must show where a column is released by the interval of its class.

Starts from the rows with their labels: rows with equal labels in every quasi-identifier are a
class, and the smallest and largest value of a class are looked up in the original. This code is
independent of the code that made the release.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.counts.level_table import TOP, LevelTable, Value
from lookalike.policy.hierarchies.bands import Bands
from lookalike.policy.hierarchies.dates import Dates
from lookalike.policy.hierarchies.level_builder import SUPPRESSED
from lookalike.policy.hierarchy import Hierarchy
from lookalike.tables.table import Table
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.labels.interval_truth import OR_MISSING
from lookalike.verifier.labels.label_truth import span
from lookalike.verifier.labels.range_truth import NUMBER, moments_of, numbers_of
from lookalike.verifier.requirements.recount import fully_starred, rows_by_label
from lookalike.verifier.requirements.sensitive_counts import Flags, Whole
from lookalike.verifier.rows.text_codes import classes_of, encoded

NUMBERS = re.compile(rf"\[{NUMBER}(–| to |, ){NUMBER}([\])])")
DAYS = re.compile(r"\[(\S+) … (\S+)\]")
BY_INTERVAL = "by the interval of their class"


def with_intervals(rows: Any, unrecoded: Any, original: Table, counted: CountedOriginal) -> Any:
    """``rows`` with intervals for labels; ``unrecoded`` are the same rows of the original."""
    policy, counts = counted.policy, counted.counts
    if not policy.interval_columns or not rows.num_rows:
        return rows
    released = [name for name in original.columns if name not in policy.identifiers]
    place = {name: f"c{released.index(name)}" for name in policy.names}
    places = list(place.values())
    of, starred = classes_of(rows, places), _flags(fully_starred(rows, places))
    columns = zip(counts.names, counts.values, counted.tables, counted.low, strict=True)
    for name, values, table, low in columns:
        if name not in policy.interval_columns or low == table.height:
            continue
        shown, own = _cells(rows, place[name]), _cells(unrecoded, place[name])
        members = _members(of, leaves_of(own, original.text_codes(name)))
        labels = _intervals(members, values, policy.hierarchies[name], table, low)
        label_of = [labels[number] for number in of.tolist()]
        stays = starred | np.array([label is None for label in label_of])
        stays |= _flags(pc.is_null(shown))
        if policy.keeps_stars:
            stays |= _flags(pc.fill_null(pc.equal(shown, TOP), False))
        intervals = pa.array(label_of, pa.string())
        if low == 0:
            one_value = np.array([len(leaves) == 1 for leaves in members])[of]
            intervals = pc.if_else(pa.array(one_value), own, intervals)
        at = rows.schema.get_field_index(place[name])
        rows = rows.set_column(at, place[name], pc.if_else(pa.array(stays), shown, intervals))
    return rows


def leaves_of(cells: Any, codes: Mapping[str | None, int]) -> Whole:
    """The leaf of each cell; ``codes`` is the leaf of each text."""
    numbers, texts = encoded(cells)
    return np.array([codes[text] for text in texts], dtype=np.int64)[numbers]


def _cells(rows: Any, place: str) -> Any:
    return rows.column(place).combine_chunks().cast(pa.string())


def _flags(column: Any) -> Flags:
    flags: Flags = column.to_numpy(zero_copy_only=False)
    return flags


def _members(of: Whole, leaf: Whole) -> list[list[int]]:
    """The leaves of each class."""
    members: list[list[int]] = [[] for _ in range(int(of.max()) + 1)]
    for number, member in np.unique(np.stack([of, leaf], axis=1), axis=0).tolist():
        members[number].append(member)
    return members


def _intervals(
    members: Sequence[Sequence[int]],
    values: Sequence[Value],
    hierarchy: Hierarchy,
    table: LevelTable,
    low: int,
) -> list[str | None]:
    """The interval of each class; None if it has only nulls."""
    keys = _keys(values, hierarchy)
    intervals: list[str | None] = []
    for leaves in members:
        known = sorted((keys[leaf], leaf) for leaf in leaves if leaf in keys)
        if not known:
            intervals.append(None)
            continue
        if low:
            first, last = (str(table.labels[low][table.codes[known[at][1], low]]) for at in (0, -1))
        else:
            first, last = _text(known[0][0]), _text(known[-1][0])
        label = first if first == last else _join(first, last, hierarchy, low)
        intervals.append(label + OR_MISSING if len(known) < len(leaves) else label)
    return intervals


def _keys(values: Sequence[Value], hierarchy: Hierarchy) -> dict[int, Any]:
    """The number or the moment of each leaf that is not null."""
    if isinstance(hierarchy, Dates):
        return dict(moments_of(values, hierarchy.format))
    return dict(numbers_of(values))


def _text(key: Any) -> str:
    if isinstance(key, datetime):
        return f"{key.year:04}-{key.month:02}-{key.day:02}"
    return str(int(key)) if key == int(key) else f"{key:f}".rstrip("0")


def _join(first: str, last: str, hierarchy: Hierarchy, low: int) -> str:
    if isinstance(hierarchy, Dates):
        return f"[{first.partition('–')[0]} … {last.rpartition('–')[2]}]"
    if low and isinstance(hierarchy, Bands):
        return first[: first.index(",")] + last[last.index(",") :]
    return f"[{first} to {last}]" if first[0] == "-" else f"[{first}–{last}]"


def interval_facts(released: Table, name: str) -> dict[str, Any]:
    """What the certificate says about such a column, counted on the release."""
    labels = rows_by_label(released, name)
    by_interval = sum(rows for label, rows in labels.items() if label and _is_interval(label))
    starred = labels.get(TOP, 0)
    parts = [
        (by_interval, BY_INTERVAL),
        (sum(labels.values()) - by_interval - starred, "as precise as the policy allows"),
        (starred, SUPPRESSED),
    ]
    shown = "; ".join(f"{rows:,} rows {how}" for rows, how in parts if rows)
    return {"by_interval": by_interval, "shown": shown or "nothing"}


def intervals_agree(facts: Mapping[str, Any], released: Table, name: str) -> bool:
    """Do the facts on a certificate hold, and does each interval begin before it ends?"""
    labels = [label for label in rows_by_label(released, name) if label and _is_interval(label)]
    expected = interval_facts(released, name).items()
    return all(facts.get(key) == fact for key, fact in expected) and all(map(_rises, labels))


def _is_interval(label: str) -> bool:
    return label.startswith("[") or label.endswith(OR_MISSING)


def _rises(label: str) -> bool:
    label = label.removesuffix(OR_MISSING)
    if not label.startswith("["):
        return True
    if match := NUMBERS.fullmatch(label):
        first, dash, last, bracket = match.groups()
        closed = {", ": ")", "–": "]", " to ": "]"}[dash] == bracket
        to_after_minus = dash == ", " or (first[0] == "-") is (dash == " to ")
        return closed and to_after_minus and Decimal(first) < Decimal(last)
    if match := DAYS.fullmatch(label):
        begins, ends = _span(match[1]), _span(match[2])
        return begins is not None and ends is not None and begins[0] < ends[1]
    return False


def _span(label: str) -> tuple[date, date] | None:
    try:
        return span(label)
    except ValueError:  # the 31st of February
        return None
