"""Eligible rows: those whose cells are among the values listed for their column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from lookalike.tables.sql.relation import Rows


def choose_eligible(rows: Rows, eligible: Mapping[str, Sequence[str]]) -> Rows:
    """The rows that are eligible in every column listed; a null never is."""
    for name, values in eligible.items():
        listed = pa.table({"v": pa.array(list(values), pa.string())})
        [shown] = rows.texts([name])
        rows = rows.query(
            f"SELECT * FROM t WHERE {shown} IN (SELECT v FROM _lookalike_given)", listed
        )
    return rows
