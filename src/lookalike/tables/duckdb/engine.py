"""DuckDB as an engine: a relation stays with its connection, ours or the caller's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from lookalike.tables.duckdb import cells as duckdb_cells
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import Connection, Relation, shared_connection
from lookalike.tables.engine_progress import Step, report_progress
from lookalike.tables.fingerprint import fingerprint_of_batches
from lookalike.tables.sql.relation import Cells, Engine, Rows, numbered, quote_name


class DuckDB(Engine):
    """See ``Engine``. On a connection of our ``own``, the progress of a query is known."""

    cells: Cells = duckdb_cells

    def __init__(self, own: Connection | None = None) -> None:
        self.own = own

    def query(self, relation: Relation, sql: str, where: str, lookup: Any = None) -> Relation:
        """The caller's database may have a table ``t``, so ours is defined inside the query."""
        _lookalike_lookup = lookup  # DuckDB finds Python variables of this function by name
        with translate_errors(where):
            answer = relation.query("_lookalike_rows", f"WITH t AS (FROM _lookalike_rows) {sql}")
        assert answer is not None  # a query that only reads has an answer
        return answer

    def fetch(self, relation: Relation, where: str) -> Any:
        with translate_errors(where), report_progress(self.step("counting")):
            return relation.to_arrow_table()

    def step(self, what: str) -> Step:
        """The progress of the query that runs next."""
        own = self.own
        return Step(what, 0, ask_share=None if own is None else lambda: own.query_progress() / 100)

    def materialize(self, relation: Relation, where: str, *, firm: bool) -> Relation:
        with translate_errors(where), report_progress(self.step("recoding")):
            return relation.materialize()

    def types(self, relation: Relation, where: str) -> tuple[str, ...]:
        return tuple(str(kind) for kind in relation.types)

    def sample(self, relation: Relation, rows: int, total: int, where: str) -> Relation:
        sql = f"SELECT * FROM t USING SAMPLE reservoir({rows} ROWS) REPEATABLE (1)"
        return self.query(relation, sql, where)

    def consecutive_rows(self, relation: Relation, shown: Sequence[str], where: str) -> Relation:
        """DuckDB keeps the order in which rows are stored."""
        before = ", ".join(f"lag(c{i}) OVER () AS p{i}" for i in range(len(shown)))
        rows = f"SELECT {numbered(shown)} FROM t"
        pairs = f"SELECT *, {before}, lag(1) OVER () AS later FROM ({rows})"
        return self.query(relation, f"SELECT * FROM ({pairs}) WHERE later = 1", where)

    def fingerprint(self, rows: Rows, key: str) -> tuple[int, ...]:
        """Rows are in this process anyway, so they are fetched in batches."""
        n = "n" if rows.weighted else "1"
        shown = rows.query(f"SELECT {numbered(rows.texts(rows.names))}, {n} AS n FROM t")
        with translate_errors(rows.where):
            batches = shown.relation.to_arrow_reader(1 << 18)
            return fingerprint_of_batches(key, len(rows.names), batches)


DUCKDB = DuckDB()


def duckdb_rows(
    relation: Relation, names: Sequence[str], where: str, own: Connection | None = None
) -> Rows:
    """A relation as rows, its columns called c0, c1 …"""
    columns = ", ".join(f"c{i}" for i in range(len(names)))
    renamed = DUCKDB.query(relation, f"SELECT * FROM t AS t({columns})", where)
    return Rows(DuckDB(own), renamed, tuple(names), where)


def expand_weights(rows: Rows) -> Rows:
    """The same rows in the same order, each as often as it occurs."""
    if not rows.weighted:
        return rows
    columns = ", ".join(f"c{i}" for i in range(len(rows.names)))
    sql = f"SELECT {columns} FROM (SELECT *, unnest(range(n)) FROM t)"
    return rows.query(sql).rename(rows.names)


def named_relation(rows: Rows) -> Relation:
    """The relation, its columns called by their names."""
    columns = ", ".join(f"c{i} AS {quote_name(name)}" for i, name in enumerate(rows.names))
    relation: Relation = expand_weights(rows).query(f"SELECT {columns} FROM t").relation
    return relation


def cell_texts(cells: Any, where: str) -> Any:
    """The text of each cell of an Arrow column, as it is compared: an Arrow array."""
    relation = shared_connection().from_arrow(pa.table({"c": cells}))
    text = duckdb_cells.text("c", str(relation.types[0]))
    shown = DUCKDB.fetch(DUCKDB.query(relation, f"SELECT {text} AS s FROM t", where), where)
    return shown.column("s").cast(pa.string()).combine_chunks()


def arrow_batches(rows: Rows) -> Iterator[Any]:
    """As ``Table.batches``."""
    with translate_errors(rows.where):
        reader = named_relation(rows).to_arrow_reader(1 << 17)
        yield reader.schema.empty_table()
        for batch in reader:
            yield pa.Table.from_batches([batch])
