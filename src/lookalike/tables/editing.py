"""Original rows to released rows, in SQL: look up each code, leave out classes, show labels, sort.

Only labels go in, as Arrow tables. Afterwards the rows must add up, or nothing is released.
"""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from lookalike.counts.level_table import TOP
from lookalike.errors import Fault, TableError
from lookalike.policy.text import is_null
from lookalike.tables import cells
from lookalike.tables.dealing import STALE, dealt
from lookalike.tables.rows import Rows, ask, said_plainly
from lookalike.tables.table import Edit, Relabel


def released(rows: Rows, edit: Edit, carried: str | None = None) -> duckdb.DuckDBPyRelation:
    """A relation over the released columns o0, o1 … in order, sorted, and held by the engine.

    ``carried`` names one more column of ``rows`` that comes along, last, without being sorted by.
    """
    kinds = rows.kinds()
    released_at = rows.at(edit.columns)
    coded = coded_rows(rows, edit)
    coded = mark_gone(coded, rows.where, edit) if edit.split is None else dealt(coded, rows, edit)
    check_planned(coded, rows.where, edit)

    number = {name: j for j, name in enumerate(edit.relabel)}
    shown, order = [], []
    for i, (name, at) in enumerate(zip(edit.columns, released_at, strict=True)):
        cell, kind = f"c{at}", kinds[at]
        if name in edit.relabel:
            if edit.split is not None and edit.split.labels[name] is not None:
                own = f"own{number[name]}"
                cell = f"CASE WHEN {own} THEN {cells.text(cell, kind)} ELSE l{number[name]} END"
                kind = "VARCHAR"
            elif edit.relabel[name].labels is not None:
                cell, kind = f"l{number[name]}", "VARCHAR"
            elif edit.star:
                cell, kind = cells.text(cell, kind), "VARCHAR"
            else:
                cell = cells.released(cell, kind)
            if edit.star:
                cell = f"CASE WHEN gone THEN '{TOP}' ELSE {cell} END"
        elif kind.startswith("ENUM"):  # its type lists values that no released row may hold
            cell, kind = cells.text(cell, kind), "VARCHAR"
        shown.append(f"{cell} AS o{i}")
        order.append(f"{cells.order(f'o{i}', kind)} ASC NULLS LAST")
    along = f", c{rows.at([carried])[0]} AS carried" if carried is not None else ""
    stay = "" if edit.star else " WHERE NOT gone"
    sql = (
        f"SELECT * FROM (SELECT {', '.join(shown)}{along} FROM t{stay}) ORDER BY {', '.join(order)}"
    )
    with_labels = ask(coded, sql, rows.where)
    return _held(with_labels, rows.where, edit)


def coded_rows(rows: Rows, edit: Edit) -> duckdb.DuckDBPyRelation:
    """With the code q0, q1 … and the label l0, l1 … of each quasi-identifier."""
    kinds = rows.kinds()
    coded = rows.relation  # c0, c1 …
    for j, (name, at) in enumerate(zip(edit.relabel, rows.at(tuple(edit.relabel)), strict=True)):
        mapping = mapping_of(rows, name, edit.relabel[name])
        coded = look_up(coded, rows.where, j, cells.key(f"c{at}", kinds[at]), mapping)
    return coded


def look_up(
    relation: duckdb.DuckDBPyRelation, where: str, number: int, key: str, mapping: Any
) -> duckdb.DuckDBPyRelation:
    """Add the code ``q`` and the label ``l`` of one quasi-identifier.

    Null equals nothing in a join, so its code and label are looked up apart.
    """
    is_text = pa.types.is_string(mapping.schema.field("key").type)
    same = 't.k = m.key COLLATE "C"' if is_text else "t.k = m.key"
    null = "FROM _lookalike_given WHERE key IS NULL"
    sql = (
        f"SELECT t.* EXCLUDE (k), "
        f"CASE WHEN t.k IS NULL THEN (SELECT code {null}) ELSE m.code END AS q{number}, "
        f"CASE WHEN t.k IS NULL THEN (SELECT label {null}) ELSE m.label END AS l{number} "
        f"FROM (SELECT *, {key} AS k FROM t) t LEFT JOIN _lookalike_given m ON {same}"
    )
    return ask(relation, sql, where, given=mapping)


def mapping_of(rows: Rows, name: str, relabel: Relabel) -> Any:
    """The Arrow table (key, code, label) of one quasi-identifier, each key once."""
    (at,) = rows.at([name])
    kind = rows.kinds()[at]
    head = rows.fetch(f"SELECT {cells.key(f'c{at}', kind)} AS k FROM t LIMIT 0")
    values = [None if is_null(value) else value for value in relabel.values]
    codes = np.asarray(relabel.codes, dtype=np.int32)
    if len(codes) != len(values):
        raise ValueError(f"{name}: one code a value is needed")
    try:
        if kind == cells.ZONED:
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
    if relabel.labels is None:
        labels = pa.nulls(len(codes), pa.string())
    else:
        labels = pa.array(relabel.labels, type=pa.string()).take(pa.array(codes))
    return pa.table({"key": keys, "code": pa.array(codes), "label": labels})


def mark_gone(relation: duckdb.DuckDBPyRelation, where: str, edit: Edit) -> duckdb.DuckDBPyRelation:
    """Add ``gone``: is the row of a suppressed class?"""
    width = len(edit.relabel)
    suppressed = np.asarray(edit.suppressed, dtype=np.int32)
    if suppressed.ndim != 2 or suppressed.shape[1] != width:
        raise ValueError("suppressed needs one column for each quasi-identifier")
    if not width or not len(suppressed):
        return ask(relation, "SELECT *, false AS gone FROM t", where)
    given = pa.table({f"q{j}": suppressed[:, j] for j in range(width)})
    same = " AND ".join(f"t.q{j} = g.q{j}" for j in range(width))
    sql = (
        "SELECT t.*, g.gone IS NOT NULL AS gone FROM t LEFT JOIN "
        f"(SELECT DISTINCT *, true AS gone FROM _lookalike_given) g ON {same}"
    )
    return ask(relation, sql, where, given=given)


def check_planned(
    relation: duckdb.DuckDBPyRelation, where: str, edit: Edit, tally: str = "count(*)"
) -> None:
    """Every value has a code, and kept and suppressed rows are as many as were planned."""
    lost = "".join(f", {tally} FILTER (q{j} IS NULL)" for j in range(len(edit.relabel)))
    sql = f"SELECT {tally} FILTER (NOT gone), {tally} FILTER (gone){lost} FROM t"
    found = Rows(relation, (), where).fetch(sql)
    kept, gone, *unmatched = (int(column[0].as_py() or 0) for column in found.columns)
    faults = [
        Fault(name, f"{count} rows hold a value that has no code", STALE)
        for name, count in zip(edit.relabel, unmatched, strict=True)
        if count
    ]
    if kept != edit.rows_kept:
        faults.append(Fault(where, f"{kept} rows to keep, {edit.rows_kept} planned", STALE))
    if gone != edit.rows_suppressed:
        problem = f"{gone} rows to suppress, {edit.rows_suppressed} planned"
        faults.append(Fault(where, problem, STALE))
    if faults:
        raise TableError(faults)


def _held(relation: duckdb.DuckDBPyRelation, where: str, edit: Edit) -> duckdb.DuckDBPyRelation:
    """The rows, computed once: what is verified is then what is written."""
    with said_plainly(where):
        held = relation.materialize()
        rows = len(held)
    expected = edit.rows_kept + (edit.rows_suppressed if edit.star else 0)
    if rows != expected:
        raise TableError(Fault(where, f"{rows} rows released, {expected} planned", STALE))
    return held
