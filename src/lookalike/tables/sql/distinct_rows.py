"""Released rows by kind: each distinct row once, with how often it is there, sorted.

A release of many rows has few distinct ones, unless a kept column is nearly unique. Counting them
by their codes takes one pass, and only the distinct ones are then labelled and sorted.
"""

from __future__ import annotations

import re

import pyarrow as pa

from lookalike.tables.sql.relation import Rows, grouped_by
from lookalike.tables.sql.row_assignment import dealt
from lookalike.tables.sql.row_recoding import cell_shown, check_planned, coded_rows, mark_gone
from lookalike.tables.table import Edit

PLAIN = re.compile(  # what is equal here is the same: 0.0 and -0.0 are equal, too
    r"BOOLEAN|DATE|TIME|TIMESTAMP|VARCHAR|DECIMAL\(.*\)|U?(TINY|SMALL|BIG)INT|U?INTEGER"
)
SAMPLE = 1 << 20  # rows from which on it is looked first whether there are few distinct ones
MANY = 0.5  # of the rows of a sample are distinct


def can_be_grouped(rows: Rows, edit: Edit) -> bool:
    """Are there far fewer distinct released rows than rows, as far as a sample tells?"""
    kinds = rows.kinds()
    if not all(PLAIN.fullmatch(kinds[at]) for at in rows.at(edit.columns)):
        return False
    if edit.rows_kept + edit.rows_suppressed < SAMPLE:
        return True
    if edit.split is not None:
        return False
    coded = coded_rows(rows.query("SELECT * FROM t USING SAMPLE 3 PERCENT (system, 1)"), edit)
    kept = [f"c{at}" for at in rows.at([c for c in edit.columns if c not in edit.recodings])]
    keys = [*(f"q{j}" for j in range(len(edit.recodings))), *kept]
    sql = f"SELECT count(*) AS n, count(DISTINCT {rows.engine.hashed(keys)}) AS d FROM t"
    found = coded.fetch(sql)
    return bool(found["d"][0].as_py() <= MANY * max(1, found["n"][0].as_py()))


def grouped(rows: Rows, edit: Edit) -> Rows:
    """The distinct released rows and ``n``, sorted, computed once and held by the engine."""
    kinds, places = rows.kinds(), dict(zip(edit.columns, rows.at(edit.columns), strict=True))
    number = {name: j for j, name in enumerate(edit.recodings)}
    coded = coded_rows(rows, edit)
    if edit.split is not None:
        coded = dealt(coded, rows, edit)
        check_planned(coded, edit)
    else:
        own = [
            f"c{at}"
            for name, at in places.items()
            if name not in edit.recodings or edit.recodings[name].labels is None
        ]
        keys = [*(f"q{j}" for j in number.values()), *own]
        by = "".join(f"{key}, " for key in keys)
        counted = coded.query(f"SELECT {by}count(*) AS n FROM t{grouped_by(len(keys))}")
        coded = mark_gone(counted.materialize(), edit)
        check_planned(coded, edit, "sum(n)")
        for name, j in number.items():
            labels = edit.recodings[name].labels
            if labels is not None:
                given = pa.table({"q": pa.array(range(len(labels)), pa.int32()),
                                  "l": pa.array(labels, pa.string())})  # fmt: skip
                sql = f"SELECT t.*, m.l AS l{j} FROM t JOIN _lookalike_given m ON t.q{j} = m.q"
                coded = coded.query(sql, given)
    shown, order = [], []
    for i, (name, at) in enumerate(places.items()):
        cell, kind = cell_shown(rows, edit, name, f"c{at}", kinds[at])
        shown.append(f"{cell} AS o{i}")
        order.append(f"{rows.engine.order(f'o{i}', kind)} ASC NULLS LAST")
    stay = "" if edit.star else " WHERE NOT gone"
    how_many = "count(*)" if edit.split is not None else "CAST(sum(n) AS BIGINT)"
    columns = ", ".join(f"o{i} AS c{i}" for i in range(len(shown)))
    sql = (
        f"SELECT {columns}, m AS n FROM (SELECT {', '.join(shown)}, {how_many} AS m FROM t{stay}"
        f"{grouped_by(len(shown))}) o ORDER BY {', '.join(order)}"
    )
    return coded.query(sql).rename(edit.columns, weighted=True).materialize()
