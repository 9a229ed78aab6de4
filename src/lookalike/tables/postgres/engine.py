"""PostgreSQL as an engine: a relation is a SELECT, or a temporary table once materialized.

A run is one transaction that sees one state of the database. Only counts come out, by COPY; only
small tables of labels go in, by COPY as well. The caller's texts never become part of SQL, except
names, which are quoted.
"""

from __future__ import annotations

import io
import itertools
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pyarrow as pa

from lookalike.tables.fingerprint import fingerprint_by_query
from lookalike.tables.postgres import cells as postgres_cells
from lookalike.tables.postgres import copy_rows
from lookalike.tables.postgres.error_messages import READ, TEMPORARY
from lookalike.tables.postgres.session import Connection, step, step_and_undo
from lookalike.tables.sql.relation import Cells, Engine, Rows, log_query, numbered, quote_name

LOOKUP = "_lookalike_lookup"
ORDER = "_lookalike_order"
BATCH_BYTES = 1 << 24
_AS_STORED = (
    b"SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL enable_indexonlyscan = off; "
    b"SET LOCAL enable_seqscan = on"
)


@dataclass(frozen=True, slots=True)
class Select:
    """A query; if its rows are stored, also the same query with the column ``ORDER`` to sort by."""

    sql: str = field(repr=False)
    stored: str | None = field(default=None, repr=False)


class Postgres(Engine):
    """See ``Engine``; one for each connection, which is closed with it."""

    cells: Cells = postgres_cells

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.sources: frozenset[int] = frozenset()  # oids of tables that no release may replace
        weakref.finalize(self, connection.close)
        self._numbers = itertools.count()
        self._described: dict[str, tuple[tuple[str, str], ...]] = {}

    def query(self, relation: Select, sql: str, where: str, lookup: Any = None) -> Select:
        if lookup is not None:
            sql = sql.replace(LOOKUP, self.upload(lookup, where))
        return Select(f"WITH t AS ({relation.sql}) {sql}")

    def fetch(self, relation: Select, where: str) -> Any:
        return pa.concat_tables(self.batches(relation, where))

    def batches(self, relation: Select, where: str) -> Iterator[Any]:
        """The rows as Arrow tables of some thousand rows each, at least one."""
        columns = self.describe(relation, where)
        with self._copy(f"({relation.sql}) TO STDOUT (FORMAT csv)", where) as copy:
            buffer = io.BytesIO()
            for line in copy:  # PostgreSQL sends one row at a time
                buffer.write(line)
                if buffer.tell() > BATCH_BYTES:
                    yield copy_rows.read(buffer, columns, where)
                    buffer = io.BytesIO()
            yield copy_rows.read(buffer, columns, where)

    def materialize(self, relation: Select, where: str, *, firm: bool) -> Select:
        name = self.new_name()
        self.execute(f"CREATE TEMPORARY TABLE {name} AS {relation.sql}", where, TEMPORARY)
        self.execute(f"ANALYZE {name}", where)
        return Select(f"SELECT * FROM {name}", f"SELECT *, ctid AS {ORDER} FROM {name}")

    def types(self, relation: Select, where: str) -> tuple[str, ...]:
        return tuple(kind for _, kind in self.describe(relation, where))

    def sample(self, relation: Select, rows: int, total: int, where: str) -> Select:
        share = 100.0 * min(1.0, rows / max(1, total))
        return Select(f"{relation.sql} TABLESAMPLE BERNOULLI ({share}) REPEATABLE (1)")

    def consecutive_rows(self, relation: Select, shown: Sequence[str], where: str) -> Select:
        """A stored table is read from its start; other rows in the order that they come."""
        order = "row_number() OVER ()" if relation.stored is None else ORDER
        stored = relation.stored or relation.sql
        rows = f"WITH t AS ({stored}) SELECT {numbered(shown)}, {order} AS o FROM t"
        before = ", ".join(f"lag(c{i}) OVER w AS p{i}" for i in range(len(shown)))
        pairs = f"SELECT *, {before}, lag(1) OVER w AS later FROM ({rows}) r"
        return Select(f"SELECT * FROM ({pairs} WINDOW w AS (ORDER BY o)) p WHERE later = 1")

    def fetch_slice(
        self, relation: Select, shown: Sequence[str], start: int, rows: int, where: str
    ) -> Any:
        """The table is read from its start, by one process, and never through an index."""
        with step_and_undo(self.connection, where):
            self.connection.execute(_AS_STORED)
            return super().fetch_slice(relation, shown, start, rows, where)

    def fingerprint(self, rows: Rows, key: str) -> tuple[int, ...]:
        hexadecimal = "CAST(CAST('x' || {0} AS bit(32)) AS bigint)"
        return fingerprint_by_query(rows, key, hexadecimal, "bigint")

    def execute(self, sql: str, where: str, right: str = READ) -> None:
        log_query(sql)
        with step(self.connection, where, right):
            self.connection.execute(sql.encode())

    def fetch_one(self, sql: str, values: Sequence[Any], where: str) -> tuple[Any, ...] | None:
        """The first row of a query to the catalog."""
        with step(self.connection, where):
            return self.connection.execute(sql.encode(), values).fetchone()

    def oid_of(self, name: str, where: str) -> int:
        """The oid of a table or view."""
        sql = "SELECT %s::pg_catalog.regclass::pg_catalog.oid"
        [oid] = self.fetch_one(sql, [name], where) or [0]
        return int(oid)

    def upload(self, table: Any, where: str) -> str:
        """Copy a small table into the session, and return its name."""
        name = self.new_name()
        kinds = [postgres_cells.postgres_type(kind) for kind in table.schema.types]
        columns = ", ".join(
            f"{quote_name(name)} {kind}" + (' COLLATE "C"' if kind == postgres_cells.TEXT else "")
            for name, kind in zip(table.column_names, kinds, strict=True)
        )
        self.execute(f"CREATE TEMPORARY TABLE {name} ({columns})", where, TEMPORARY)
        self.copy_in(name, table, where)
        self.execute(f"ANALYZE {name}", where)
        return name

    def copy_in(self, name: str, table: Any, where: str) -> None:
        with self._copy(f"{name} FROM STDIN", where) as copy:
            for batch in table.to_batches(max_chunksize=1 << 16):
                copy.write(copy_rows.lines(batch))

    @contextmanager
    def _copy(self, what: str, where: str) -> Iterator[psycopg.Copy]:
        sql = f"COPY {what}"
        log_query(sql)
        with (
            step(self.connection, where),
            self.connection.cursor() as cursor,
            cursor.copy(sql.encode()) as copy,
        ):
            yield copy

    def new_name(self) -> str:
        """The name of a temporary table or view; no table of the database can have it."""
        return f"pg_temp._lookalike_{next(self._numbers)}"

    def describe(self, relation: Select, where: str) -> tuple[tuple[str, str], ...]:
        """The name and type of each column."""
        if relation.sql not in self._described:
            with step(self.connection, where):
                head = self.connection.execute(f"SELECT * FROM ({relation.sql}) q LIMIT 0".encode())
            self._described[relation.sql] = tuple(
                (column.name, postgres_cells.without_precision(column.type_display))
                for column in head.description or ()
            )
        return self._described[relation.sql]
