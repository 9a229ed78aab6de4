"""DuckDB as the engine: a relation stays with its connection, ours or the caller's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from lookalike.tables import fingerprint as row_sums
from lookalike.tables.duckdb import cells
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.engine_progress import Step, telling
from lookalike.tables.sql.relation import Rows, quoted, stretch_of


class DuckDB:
    """As ``Engine`` says; on a connection of ``own`` it can be told how far a query is."""

    def __init__(self, own: duckdb.DuckDBPyConnection | None = None) -> None:
        self.own = own

    TEXT = "VARCHAR"
    key = staticmethod(cells.key)
    text = staticmethod(cells.text)
    released = staticmethod(cells.released)
    order = staticmethod(cells.order)

    def ask(
        self, relation: duckdb.DuckDBPyRelation, sql: str, where: str, given: Any = None
    ) -> duckdb.DuckDBPyRelation:
        """The caller's database may have a table ``t`` of its own: ours is inside the query."""
        _lookalike_given = given  # DuckDB looks for Python variables of this function by name
        with translate_errors(where):
            answer = relation.query("_lookalike_rows", f"WITH t AS (FROM _lookalike_rows) {sql}")
        if answer is None:
            raise AssertionError("a query that only reads has an answer")
        return answer

    def fetch(self, relation: duckdb.DuckDBPyRelation, where: str) -> Any:
        with translate_errors(where), telling(self.step("counting")):
            return relation.to_arrow_table()

    def step(self, what: str) -> Step:
        """The query that runs next."""
        own = self.own
        return Step(what, 0, asked=None if own is None else lambda: own.query_progress() / 100)

    def hold(
        self, relation: duckdb.DuckDBPyRelation, where: str, *, firm: bool
    ) -> duckdb.DuckDBPyRelation:
        with translate_errors(where), telling(self.step("recoding")):
            return relation.materialize()

    def kinds(self, relation: duckdb.DuckDBPyRelation, where: str) -> tuple[str, ...]:
        return tuple(str(kind) for kind in relation.types)

    def is_list(self, kind: str) -> bool:
        return kind.startswith("ENUM")

    def is_zoned(self, kind: str) -> bool:
        return kind == cells.ZONED

    def hashed(self, keys: Sequence[str]) -> str:
        return f"hash({', '.join(keys)})"

    def distinct_estimate(self, keys: Sequence[str]) -> str:
        return f"approx_count_distinct({self.hashed(keys)})"

    def number(self, text: str) -> str:
        return f"TRY_CAST({text} AS DOUBLE)"

    def sample(
        self, relation: duckdb.DuckDBPyRelation, rows: int, of: int, where: str
    ) -> duckdb.DuckDBPyRelation:
        sql = f"SELECT * FROM t USING SAMPLE reservoir({rows} ROWS) REPEATABLE (1)"
        return self.ask(relation, sql, where)

    def previous(
        self, relation: duckdb.DuckDBPyRelation, shown: Sequence[str], where: str
    ) -> duckdb.DuckDBPyRelation:
        """DuckDB keeps the order in which rows are stored."""
        columns = ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(shown))
        before = ", ".join(f"lag(c{i}) OVER () AS p{i}" for i in range(len(shown)))
        pairs = f"SELECT *, {before}, lag(1) OVER () AS later FROM (SELECT {columns} FROM t)"
        return self.ask(relation, f"SELECT * FROM ({pairs}) WHERE later = 1", where)

    def stretch(
        self,
        relation: duckdb.DuckDBPyRelation,
        shown: Sequence[str],
        start: int,
        rows: int,
        where: str,
    ) -> Any:
        """DuckDB keeps the order in which rows are stored."""
        return self.fetch(self.ask(relation, stretch_of(shown, start, rows), where), where)

    def fingerprint(self, rows: Rows) -> tuple[int, ...]:
        """Rows are in this process as it is, so they come by in batches."""
        texts = [f"{shown} AS c{i}" for i, shown in enumerate(rows.texts(rows.names))]
        n = "n" if rows.weighted else "1"
        shown = rows.query(f"SELECT {', '.join(texts)}, {n} AS n FROM t")
        with translate_errors(rows.where):
            return row_sums.of_batches(len(rows.names), shown.relation.to_arrow_reader(1 << 18))


DUCKDB = DuckDB()


def duckdb_rows(
    relation: duckdb.DuckDBPyRelation,
    names: Sequence[str],
    where: str,
    own: duckdb.DuckDBPyConnection | None = None,
) -> Rows:
    """A relation as rows, its columns by position; maybe on a connection of our own."""
    columns = ", ".join(f"c{i}" for i in range(len(names)))
    numbered = DUCKDB.ask(relation, f"SELECT * FROM t AS t({columns})", where)
    return Rows(DuckDB(own), numbered, tuple(names), where)


def each(rows: Rows) -> Rows:
    """The same with every row by itself, in the same order."""
    if not rows.weighted:
        return rows
    columns = ", ".join(f"c{i}" for i in range(len(rows.names)))
    sql = f"SELECT {columns} FROM (SELECT *, unnest(range(n)) FROM t)"
    return rows.query(sql).rename(rows.names)


def named(rows: Rows) -> duckdb.DuckDBPyRelation:
    """The relation under the names of the outside."""
    columns = ", ".join(f"c{i} AS {quoted(name)}" for i, name in enumerate(rows.names))
    relation: duckdb.DuckDBPyRelation = each(rows).query(f"SELECT {columns} FROM t").relation
    return relation


def arrow_batches(rows: Rows) -> Iterator[Any]:
    """As ``Table.batches`` says."""
    with translate_errors(rows.where):
        reader = named(rows).to_arrow_reader(1 << 17)
        yield reader.schema.empty_table()
        for batch in reader:
            yield pa.Table.from_batches([batch])
