"""Eligible rows: those whose cells are among the values listed for their column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from lookalike.tables import cells
from lookalike.tables.rows import Rows


def chosen(rows: Rows, eligible: Mapping[str, Sequence[str]]) -> Rows:
    """The rows that are eligible by every column named; a null never is."""
    kinds = rows.kinds()
    for name, at in zip(eligible, rows.at(tuple(eligible)), strict=True):
        listed = pa.table({"v": pa.array(list(eligible[name]), pa.string())})
        shown = cells.text(f"c{at}", kinds[at])
        relation = rows.ask(
            f"SELECT * FROM t WHERE {shown} IN (SELECT v FROM _lookalike_given)", listed
        )
        rows = Rows(relation, rows.names, rows.where)
    return rows
