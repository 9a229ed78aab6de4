"""What cells must show that are told by the true interval of their class, worked out once more.

Starts from the rows as their labels have them: equal labels in every quasi-identifier make a class,
and its smallest and largest values are looked up in the original. Read and written by other code
than made the release.
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
from numpy.typing import NDArray

from lookalike.counts.level_table import TOP, LevelTable, Value
from lookalike.policy.cell_text import is_null
from lookalike.policy.hierarchies import Bands, Dates
from lookalike.policy.hierarchies.level_builder import SUPPRESSED
from lookalike.policy.hierarchy import Hierarchy
from lookalike.tables.table import Table
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.labels.interval_truth import OR_MISSING
from lookalike.verifier.labels.label_truth import span
from lookalike.verifier.labels.range_truth import moments_of
from lookalike.verifier.requirements.recount import fully_starred, rows_by_label

NUMBER = r"(-?\d+(?:\.\d+)?)"
NUMBERS = re.compile(rf"\[{NUMBER}(–| to |, ){NUMBER}([\])])")
DAYS = re.compile(r"\[(\S+) … (\S+)\]")
BY_INTERVAL = "by the interval of their class"
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]


def with_intervals(rows: Any, before: Any, original: Table, counted: CountedOriginal) -> Any:
    """``rows`` with intervals instead of labels; ``before`` are the same rows, not yet recoded."""
    counts, policy = counted.counts, counted.policy
    if not policy.interval_columns or not rows.num_rows:
        return rows
    released = [name for name in original.columns if name not in policy.identifiers]
    place = {name: f"c{released.index(name)}" for name in policy.names}
    of, starred = _classes(rows, list(place.values()))
    for name, values, table in zip(counts.names, counts.values, counted.tables, strict=True):
        low, _ = policy.level_bounds(name, table.height)
        if name not in policy.interval_columns or low == table.height:
            continue
        shown, own = _cells(rows, place[name]), _cells(before, place[name])
        members = _members(of, leaves_of(own, original.text_codes(name)))
        labels = _intervals(members, values, policy.hierarchies[name], table, low)
        stays = starred | np.array([labels[one] is None for one in of.tolist()])
        stays |= _flags(pc.is_null(shown))
        if policy.keeps_stars:
            stays |= _flags(pc.fill_null(pc.equal(shown, TOP), False))
        told = pa.array([labels[one] for one in of.tolist()], pa.string())
        if low == 0:
            alone = np.array([len(held) == 1 for held in members])[of]
            told = pc.if_else(pa.array(alone), own, told)
        at = rows.schema.get_field_index(place[name])
        rows = rows.set_column(at, place[name], pc.if_else(pa.array(stays), shown, told))
    return rows


def leaves_of(cells: Any, texts: Any) -> Whole:
    """The leaf of each cell, by how it reads."""
    encoded = cells.dictionary_encode(null_encoding="encode")
    of_text = np.array([texts[text] for text in encoded.dictionary.to_pylist()], dtype=np.int64)
    leaves: Whole = of_text[encoded.indices.to_numpy(zero_copy_only=False)]
    return leaves


def _cells(rows: Any, place: str) -> Any:
    return rows.column(place).combine_chunks().cast(pa.string())


def _flags(column: Any) -> Flags:
    flags: Flags = column.to_numpy(zero_copy_only=False)
    return flags


def _classes(rows: Any, places: list[str]) -> tuple[Whole, Flags]:
    """The class of each row, and whether it is starred throughout, and so stays."""
    of = np.zeros(rows.num_rows, dtype=np.int64)
    for place in places:
        column = _cells(rows, place).dictionary_encode(null_encoding="encode")
        codes = column.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        of = np.unique(of * len(column.dictionary) + codes, return_inverse=True)[1].reshape(-1)
    return of, _flags(fully_starred(rows, places))


def _members(of: Whole, leaf: Whole) -> list[list[int]]:
    """The leaves of each class."""
    members: list[list[int]] = [[] for _ in range(int(of.max()) + 1)]
    for one, held in np.unique(np.stack([of, leaf], axis=1), axis=0).tolist():
        members[one].append(held)
    return members


def _intervals(
    members: Sequence[Sequence[int]],
    values: Sequence[Value],
    hierarchy: Hierarchy,
    table: LevelTable,
    low: int,
) -> list[str | None]:
    """The interval of each class; None if it has nothing but nulls."""
    keys = _keys(values, hierarchy)
    found: list[str | None] = []
    for held in members:
        known = sorted((keys[leaf], leaf) for leaf in held if leaf in keys)
        if not known:
            found.append(None)
            continue
        if low:
            first, last = (str(table.labels[low][table.codes[known[at][1], low]]) for at in (0, -1))
        else:
            first, last = _written(known[0][0]), _written(known[-1][0])
        label = first if first == last else _joined(first, last, hierarchy, low)
        found.append(label + OR_MISSING if len(known) < len(held) else label)
    return found


def _keys(values: Sequence[Value], hierarchy: Hierarchy) -> dict[int, Any]:
    """By leaf, the number or the moment it is; a null is neither."""
    if isinstance(hierarchy, Dates):
        return dict(moments_of(values, hierarchy.format))
    return {i: Decimal(str(v).strip()) for i, v in enumerate(values) if not is_null(v)}


def _written(key: Any) -> str:
    if isinstance(key, datetime):
        return f"{key.year:04}-{key.month:02}-{key.day:02}"
    return str(int(key)) if key == int(key) else f"{key:f}".rstrip("0")


def _joined(first: str, last: str, hierarchy: Hierarchy, low: int) -> str:
    if isinstance(hierarchy, Dates):
        return f"[{first.partition('–')[0]} … {last.rpartition('–')[2]}]"
    if low and isinstance(hierarchy, Bands):
        return first[: first.index(",")] + last[last.index(",") :]
    return f"[{first} to {last}]" if first[0] == "-" else f"[{first}–{last}]"


def interval_facts(released: Table, name: str) -> dict[str, Any]:
    """What the certificate says of a column told by intervals, counted on the release."""
    seen = rows_by_label(released, name)
    told = sum(rows for label, rows in seen.items() if label and _is_told(label))
    hidden = seen.get(TOP, 0)
    parts = [
        (told, BY_INTERVAL),
        (sum(seen.values()) - told - hidden, "as fine as the policy allows"),
        (hidden, SUPPRESSED),
    ]
    shown = "; ".join(f"{rows:,} rows {how}" for rows, how in parts if rows)
    return {"by_interval": told, "shown": shown or "nothing"}


def intervals_as_said(facts: Mapping[str, Any], released: Table, name: str) -> bool:
    """Seen from outside: the same facts, and each interval begins before it ends."""
    labels = [label for label in rows_by_label(released, name) if label and _is_told(label)]
    same = all(facts.get(key) == one for key, one in interval_facts(released, name).items())
    return same and all(map(_rises, labels))


def _is_told(label: str) -> bool:
    return label.startswith("[") or label.endswith(OR_MISSING)


def _rises(label: str) -> bool:
    label = label.removesuffix(OR_MISSING)
    if not label.startswith("["):
        return True
    if found := NUMBERS.fullmatch(label):
        closed = {", ": ")", "–": "]", " to ": "]"}[found[2]] == found[4]
        below_0 = found[2] == ", " or (found[1][0] == "-") is (found[2] == " to ")
        return closed and below_0 and Decimal(found[1]) < Decimal(found[3])
    if found := DAYS.fullmatch(label):
        begins, ends = _span(found[1]), _span(found[2])
        return begins is not None and ends is not None and begins[0] < ends[1]
    return False


def _span(label: str) -> tuple[date, date] | None:
    try:
        return span(label)
    except ValueError:  # the 31st of February
        return None
