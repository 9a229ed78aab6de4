"""Original rows to released rows, in SQL: look up each code, leave out classes, show labels, sort.

Only labels go in, as small tables. Afterwards the rows must add up, or nothing is released.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.counts.level_table import TOP
from lookalike.errors import Fault, TableError
from lookalike.policy.cell_text import is_null
from lookalike.tables.sql.relation import Rows
from lookalike.tables.sql.row_assignment import STALE, dealt
from lookalike.tables.table import ColumnRecoding, Edit


def released(rows: Rows, edit: Edit, carried: str | None = None) -> Rows:
    """The released columns c0, c1 … in order, sorted, and held by the engine.

    ``carried`` names one more column of ``rows`` that comes along, last, without being sorted by.
    """
    engine, kinds = rows.engine, rows.kinds()
    coded = coded_rows(rows, edit)
    coded = mark_gone(coded, edit) if edit.split is None else dealt(coded, rows, edit)
    check_planned(coded, edit)
    shown, order = [], []
    for i, (name, at) in enumerate(zip(edit.columns, rows.at(edit.columns), strict=True)):
        cell, kind = cell_shown(rows, edit, name, f"c{at}", kinds[at])
        shown.append(f"{cell} AS o{i}")
        order.append(f"{engine.order(f'o{i}', kind)} ASC NULLS LAST")
    names = edit.columns
    if carried is not None:
        shown.append(f"c{rows.at([carried])[0]} AS o{len(names)}")
        names = (*names, carried)
    stay = "" if edit.star else " WHERE NOT gone"
    columns = ", ".join(f"o{i} AS c{i}" for i in range(len(names)))
    in_order = f" ORDER BY {', '.join(order)}" if order else ""
    sql = f"SELECT {columns} FROM (SELECT {', '.join(shown)} FROM t{stay}) o{in_order}"
    held = coded.query(sql).rename(names).materialize(firm=True)
    expected = edit.rows_kept + (edit.rows_suppressed if edit.star else 0)
    found = held.fetch("SELECT count(*) AS n FROM t")["n"][0].as_py()
    if found != expected:
        problem = f"{found} rows released, {expected} planned"
        raise TableError(Fault(rows.where, problem, STALE))
    return held


def cell_shown(rows: Rows, edit: Edit, name: str, column: str, kind: str) -> tuple[str, str]:
    """What a column shows, and of which type it is."""
    engine = rows.engine
    if name not in edit.recodings:
        if engine.is_list(kind):  # its type lists values that no released row may hold
            return engine.text(column, kind), engine.TEXT
        return column, kind
    number, split = list(edit.recodings).index(name), edit.split
    if split is not None and split.labels[name] is not None:
        text = engine.text(column, kind)
        cell, kind = f"CASE WHEN own{number} THEN {text} ELSE l{number} END", engine.TEXT
    elif split is None and edit.recodings[name].labels is not None:
        cell, kind = f"l{number}", engine.TEXT
    elif edit.star:
        cell, kind = engine.text(column, kind), engine.TEXT
    else:
        cell = engine.released(column, kind)
    return (f"CASE WHEN gone THEN '{TOP}' ELSE {cell} END", kind) if edit.star else (cell, kind)


def coded_rows(rows: Rows, edit: Edit) -> Rows:
    """With the code q0, q1 … and, unless they come by piece, the label l0, l1 … of each
    quasi-identifier.
    """
    coded = rows
    for j, name in enumerate(edit.recodings):
        mapping = mapping_of(rows, name, edit.recodings[name])
        coded = look_up(coded, j, name, mapping, labels=edit.split is None)
    return coded


def look_up(rows: Rows, number: int, name: str, mapping: Any, *, labels: bool) -> Rows:
    """Add the code ``q`` and the label ``l`` of one quasi-identifier.

    Null equals nothing in a join, so its code and label are looked up apart.
    """
    [at] = rows.at([name])
    key = rows.engine.key(f"t.c{at}", rows.kinds()[at])
    null = "FROM _lookalike_given WHERE key IS NULL"
    found = f"CASE WHEN {key} IS NULL THEN (SELECT code {null}) ELSE m.code END AS q{number}"
    if labels:
        found += f", CASE WHEN {key} IS NULL THEN (SELECT label {null}) ELSE m.label END"
        found += f" AS l{number}"
    return rows.query(
        f"SELECT t.*, {found} FROM t LEFT JOIN _lookalike_given m ON {key} = m.key", mapping
    )


def mapping_of(rows: Rows, name: str, recoding: ColumnRecoding) -> Any:
    """The Arrow table (key, code, label) of one quasi-identifier, each key once."""
    [at], [key] = rows.at([name]), rows.keys([name])
    head = rows.fetch(f"SELECT {key} AS k FROM t LIMIT 0")
    values = [None if is_null(value) else value for value in recoding.values]
    codes = np.asarray(recoding.codes, dtype=np.int32)
    if len(codes) != len(values):
        raise ValueError(f"{name}: one code a value is needed")
    try:
        if rows.engine.is_zoned(rows.kinds()[at]):
            zoned = pa.array(values, type=pa.timestamp("us", tz="UTC"))
            keys = zoned.cast(pa.int64()).cast(pa.timestamp("us"))
        else:
            keys = pa.array(values, type=head.schema.field("k").type)
    except (pa.ArrowException, OverflowError, ValueError, TypeError):
        problem = "the values of the edit are of another type than the column's"
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


def mark_gone(rows: Rows, edit: Edit) -> Rows:
    """Add ``gone``: is the row of a suppressed class?"""
    width = len(edit.recodings)
    suppressed = np.asarray(edit.suppressed, dtype=np.int32)
    if suppressed.ndim != 2 or suppressed.shape[1] != width:
        raise ValueError("suppressed needs one column for each quasi-identifier")
    if not width or not len(suppressed):
        return rows.query("SELECT t.*, false AS gone FROM t")
    given = pa.table({f"q{j}": suppressed[:, j] for j in range(width)})
    same = " AND ".join(f"t.q{j} = g.q{j}" for j in range(width))
    return rows.query(
        "SELECT t.*, g.gone IS NOT NULL AS gone FROM t LEFT JOIN "
        f"(SELECT DISTINCT d.*, true AS gone FROM _lookalike_given d) g ON {same}",
        given,
    )


def check_planned(rows: Rows, edit: Edit, tally: str = "count(*)") -> None:
    """Every value has a code, and kept and suppressed rows are as many as were planned."""
    asked = ["NOT gone", "gone", *(f"q{j} IS NULL" for j in range(len(edit.recodings)))]
    counted = [f"{tally} FILTER (WHERE {one}) AS n{i}" for i, one in enumerate(asked)]
    sql = f"SELECT {', '.join(counted)} FROM t"
    kept, gone, *unmatched = (int(column[0].as_py() or 0) for column in rows.fetch(sql).columns)
    faults = [
        Fault(name, f"{count} rows hold a value that has no code", STALE)
        for name, count in zip(edit.recodings, unmatched, strict=True)
        if count
    ]
    if kept != edit.rows_kept:
        faults.append(Fault(rows.where, f"{kept} rows to keep, {edit.rows_kept} planned", STALE))
    if gone != edit.rows_suppressed:
        problem = f"{gone} rows to suppress, {edit.rows_suppressed} planned"
        faults.append(Fault(rows.where, problem, STALE))
    if faults:
        raise TableError(faults)
