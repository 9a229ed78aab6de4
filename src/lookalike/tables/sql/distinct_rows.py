"""Recode rows into a release of distinct rows: each once, with its number of rows, sorted.

A release of many rows has few distinct ones, unless a kept column is nearly unique. They are
counted by their codes in one pass, and only the distinct rows are then labeled and sorted.
"""

from __future__ import annotations

import re

import pyarrow as pa

from lookalike.tables.sql.relation import Rows, group_by, numbered
from lookalike.tables.sql.row_assignment import assign_pieces
from lookalike.tables.sql.row_recoding import (
    add_codes,
    check_plan,
    mark_suppressed,
    released_cells,
)
from lookalike.tables.table import Edit

GROUPABLE = re.compile(  # types whose equal cells look the same, unlike 0.0 and -0.0
    r"BOOLEAN|DATE|TIME|TIMESTAMP|VARCHAR|DECIMAL\(.*\)|U?(TINY|SMALL|BIG)INT|U?INTEGER"
)
MIN_SAMPLED_ROWS = 1 << 20  # of more rows, a sample tells whether few are distinct
MAX_DISTINCT_SHARE = 0.5


def has_few_distinct_rows(rows: Rows, edit: Edit) -> bool:
    """Are there far fewer distinct released rows than rows, as far as a sample tells?"""
    types = rows.types()
    if not all(GROUPABLE.fullmatch(types[at]) for at in rows.positions(edit.columns)):
        return False
    if edit.rows_kept + edit.rows_suppressed < MIN_SAMPLED_ROWS:
        return True
    if edit.split is not None:
        return False
    coded = add_codes(rows.query("SELECT * FROM t USING SAMPLE 3 PERCENT (system, 1)"), edit)
    kept = [name for name in edit.columns if name not in edit.recodings]
    keys = [f"q{j}" for j in range(len(edit.recodings))]
    keys += [f"c{at}" for at in rows.positions(kept)]
    hashed = rows.engine.cells.hash_of(keys)
    counts = coded.fetch(f"SELECT count(*) AS n, count(DISTINCT {hashed}) AS d FROM t")
    return bool(counts["d"][0].as_py() <= MAX_DISTINCT_SHARE * max(1, counts["n"][0].as_py()))


def recode_distinct_rows(rows: Rows, edit: Edit) -> Rows:
    """The distinct released rows and ``n``, sorted, computed once and kept by the engine."""
    coded = add_codes(rows, edit)
    if edit.split is not None:
        coded = assign_pieces(coded, rows, edit)
        check_plan(coded, edit)
    else:
        coded = _count_codes(coded, edit)
    shown, order = released_cells(rows, edit)
    stay = "" if edit.star else " WHERE NOT gone"
    row_count = "count(*)" if edit.split is not None else "CAST(sum(n) AS BIGINT)"
    columns = numbered(f"o{i}" for i in range(len(shown)))
    sql = (
        f"SELECT {columns}, m AS n FROM (SELECT {', '.join(shown)}, {row_count} AS m FROM t{stay}"
        f"{group_by(len(shown))}) o ORDER BY {', '.join(order)}"
    )
    return coded.query(sql).rename(edit.columns, weighted=True).materialize()


def _count_codes(coded: Rows, edit: Edit) -> Rows:
    """Rows by codes and own values, counted; with ``gone`` and labels."""
    labeled = {name for name, recoding in edit.recodings.items() if recoding.labels is not None}
    own = [name for name in edit.columns if name not in labeled]
    keys = [f"q{j}" for j in range(len(edit.recodings))]
    keys += [f"c{at}" for at in coded.positions(own)]
    by = "".join(f"{key}, " for key in keys)
    counted = coded.query(f"SELECT {by}count(*) AS n FROM t{group_by(len(keys))}")
    coded = mark_suppressed(counted.materialize(), edit)
    check_plan(coded, edit, "sum(n)")
    for j, recoding in enumerate(edit.recodings.values()):
        if recoding.labels is not None:
            labels = pa.table({"q": pa.array(range(len(recoding.labels)), pa.int32()),
                               "l": pa.array(recoding.labels, pa.string())})  # fmt: skip
            sql = f"SELECT t.*, m.l AS l{j} FROM t JOIN _lookalike_lookup m ON t.q{j} = m.q"
            coded = coded.query(sql, labels)
    return coded
