"""Recode rows into a release, in SQL: look up codes, suppress classes, show labels, sort.

Only labels go in, as small tables. Afterwards the rows must add up, or nothing is released.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.counts.level_table import TOP
from lookalike.errors import Fault, TableError
from lookalike.policy.cell_text import is_null
from lookalike.tables.sql.relation import Rows, numbered
from lookalike.tables.sql.row_assignment import STALE, assign_pieces
from lookalike.tables.table import ColumnRecoding, Edit


def recode_rows(rows: Rows, edit: Edit, carried: str | None = None) -> Rows:
    """The released columns c0, c1 … in order, sorted, and kept by the engine.

    ``carried`` names one more column of ``rows`` that is added last and not sorted by.
    """
    coded = add_codes(rows, edit)
    coded = mark_suppressed(coded, edit) if edit.split is None else assign_pieces(coded, rows, edit)
    check_plan(coded, edit)
    shown, order = released_cells(rows, edit)
    names = edit.columns
    if carried is not None:
        shown.append(f"c{rows.positions([carried])[0]} AS o{len(names)}")
        names = (*names, carried)
    stay = "" if edit.star else " WHERE NOT gone"
    columns = numbered(f"o{i}" for i in range(len(names)))
    in_order = f" ORDER BY {', '.join(order)}" if order else ""
    sql = f"SELECT {columns} FROM (SELECT {', '.join(shown)} FROM t{stay}) o{in_order}"
    released = coded.query(sql).rename(names).materialize(firm=True)
    planned = edit.rows_kept + (edit.rows_suppressed if edit.star else 0)
    count = released.fetch_number("SELECT count(*) FROM t")
    if count != planned:
        raise TableError(Fault(rows.where, f"{count} rows released, {planned} planned", STALE))
    return released


def released_cells(rows: Rows, edit: Edit) -> tuple[list[str], list[str]]:
    """SQL for the released cells, called o0, o1 …, and for the order of the rows."""
    types = rows.types()
    shown, order = [], []
    for i, (name, at) in enumerate(zip(edit.columns, rows.positions(edit.columns), strict=True)):
        cell, kind = _released_cell(rows, edit, name, f"c{at}", types[at])
        shown.append(f"{cell} AS o{i}")
        order.append(f"{rows.engine.cells.sort_key(f'o{i}', kind)} ASC NULLS LAST")
    return shown, order


def _released_cell(rows: Rows, edit: Edit, name: str, column: str, kind: str) -> tuple[str, str]:
    """SQL for the released cell of a column, and its type."""
    cells = rows.engine.cells
    if name not in edit.recodings:
        if cells.lists_values(kind):  # its type lists values that no released row may have
            return cells.text(column, kind), cells.TEXT
        return column, kind
    number, split = list(edit.recodings).index(name), edit.split
    if split is not None and split.labels[name] is not None:
        text = cells.text(column, kind)
        cell, kind = f"CASE WHEN own{number} THEN {text} ELSE l{number} END", cells.TEXT
    elif split is None and edit.recodings[name].labels is not None:
        cell, kind = f"l{number}", cells.TEXT
    elif edit.star:
        cell, kind = cells.text(column, kind), cells.TEXT
    else:
        cell = cells.canonical(column, kind)
    return (f"CASE WHEN gone THEN '{TOP}' ELSE {cell} END", kind) if edit.star else (cell, kind)


def add_codes(rows: Rows, edit: Edit) -> Rows:
    """Add the code q0, q1 … of each quasi-identifier, and its label l0, l1 … unless split."""
    coded = rows
    for j, name in enumerate(edit.recodings):
        mapping = mapping_table(rows, name, edit.recodings[name])
        coded = look_up(coded, j, name, mapping, labels=edit.split is None)
    return coded


def look_up(rows: Rows, number: int, name: str, mapping: Any, *, labels: bool) -> Rows:
    """Add the code ``q`` and the label ``l`` of one quasi-identifier.

    Null equals nothing in a join, so its code and label are looked up separately.
    """
    [at] = rows.positions([name])
    key = rows.engine.cells.key(f"t.c{at}", rows.types()[at])
    null = "FROM _lookalike_lookup WHERE key IS NULL"
    added = f"CASE WHEN {key} IS NULL THEN (SELECT code {null}) ELSE m.code END AS q{number}"
    if labels:
        added += f", CASE WHEN {key} IS NULL THEN (SELECT label {null}) ELSE m.label END"
        added += f" AS l{number}"
    return rows.left_join(mapping, added, f"{key} = m.key")


def mapping_table(rows: Rows, name: str, recoding: ColumnRecoding) -> Any:
    """The Arrow table (key, code, label) of one quasi-identifier, each key once."""
    [at], [key] = rows.positions([name]), rows.keys([name])
    head = rows.fetch(f"SELECT {key} AS k FROM t LIMIT 0")
    values = [None if is_null(value) else value for value in recoding.values]
    codes = np.asarray(recoding.codes, dtype=np.int32)
    if len(codes) != len(values):
        raise ValueError(f"{name}: each value needs one code")
    try:
        if rows.types()[at] == rows.engine.cells.ZONED:
            zoned = pa.array(values, type=pa.timestamp("us", tz="UTC"))
            keys = zoned.cast(pa.int64()).cast(pa.timestamp("us"))
        else:
            keys = pa.array(values, type=head.schema.field("k").type)
    except (pa.ArrowException, OverflowError, ValueError, TypeError):
        problem = "the values of the edit do not have the type of the column"
        raise TableError(Fault(name, problem, STALE)) from None
    if pa.types.is_floating(keys.type):
        keys = pa.array(keys.to_numpy(zero_copy_only=False) + 0.0, from_pandas=True)  # -0.0 is 0.0
    if len(keys.unique()) != len(keys):
        raise ValueError(f"{name}: the edit gives a value two codes")
    if recoding.labels is None:
        labels = pa.nulls(len(codes), pa.string())
    else:
        labels = pa.array(recoding.labels, type=pa.string()).take(pa.array(codes))
    return pa.table({"key": keys, "code": pa.array(codes), "label": labels})


def mark_suppressed(rows: Rows, edit: Edit) -> Rows:
    """Add ``gone``: is the row of a suppressed class?"""
    width = len(edit.recodings)
    suppressed = np.asarray(edit.suppressed, dtype=np.int32)
    if suppressed.ndim != 2 or suppressed.shape[1] != width:
        raise ValueError("suppressed needs one column for each quasi-identifier")
    if not width or not len(suppressed):
        return rows.query("SELECT t.*, false AS gone FROM t")
    classes = pa.table({f"q{j}": suppressed[:, j] for j in range(width)})
    same = " AND ".join(f"t.q{j} = g.q{j}" for j in range(width))
    return rows.query(
        "SELECT t.*, g.gone IS NOT NULL AS gone FROM t LEFT JOIN "
        f"(SELECT DISTINCT d.*, true AS gone FROM _lookalike_lookup d) g ON {same}",
        classes,
    )


def check_plan(rows: Rows, edit: Edit, row_count: str = "count(*)") -> None:
    """TableError unless every value has a code, and rows kept and suppressed are as planned."""
    conditions = ["NOT gone", "gone", *(f"q{j} IS NULL" for j in range(len(edit.recodings)))]
    counts = [f"{row_count} FILTER (WHERE {c}) AS n{i}" for i, c in enumerate(conditions)]
    table = rows.fetch(f"SELECT {', '.join(counts)} FROM t")
    kept, gone, *unmatched = (int(column[0].as_py() or 0) for column in table.columns)
    faults = [
        Fault(name, f"{count} rows have a value without a code", STALE)
        for name, count in zip(edit.recodings, unmatched, strict=True)
        if count
    ]
    check_row_numbers(kept, gone, edit, rows.where, faults)


def check_row_numbers(
    kept: int, suppressed: int, edit: Edit, where: str, faults: list[Fault] | None = None
) -> None:
    """TableError if there are faults, or the numbers of rows are not as planned."""
    faults = faults or []
    if kept != edit.rows_kept:
        faults.append(Fault(where, f"{kept} rows to keep, {edit.rows_kept} planned", STALE))
    if suppressed != edit.rows_suppressed:
        problem = f"{suppressed} rows to suppress, {edit.rows_suppressed} planned"
        faults.append(Fault(where, problem, STALE))
    if faults:
        raise TableError(faults)
