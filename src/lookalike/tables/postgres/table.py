"""A table or query of PostgreSQL: counted, recoded and verified on the server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa

from lookalike.errors import Fault, TableError
from lookalike.tables import counting, names
from lookalike.tables.editing import released
from lookalike.tables.postgres.engine import ORDER, Postgres, Select, said_plainly
from lookalike.tables.postgres.place import PostgresPlace
from lookalike.tables.rows import Rows, quoted
from lookalike.tables.spooling import write_spooled
from lookalike.tables.sql_table import SqlTable
from lookalike.tables.table import Edit, Table


@dataclass(frozen=True, slots=True, eq=False)
class PostgresTable(SqlTable):
    """Rows stay on the server, in the transaction of one connection."""

    kind: str
    content: Rows
    place: PostgresPlace
    path: None = None  # no file

    @property
    def engine(self) -> Postgres:
        engine = self.content.engine
        assert isinstance(engine, Postgres)
        return engine

    def also(self, content: Rows, kind: str | None = None) -> PostgresTable:
        return PostgresTable(kind or self.kind, content, self.place)

    def text_rows(self, names: Sequence[str]) -> Any:
        return counting.text_rows(self.content, names)

    def edit(self, edit: Edit) -> Table:
        return PostgresTable(self.kind, released(self.content, edit), self.place)

    def write(self, path: Path) -> None:
        write_spooled(self.batches(), self.name, path)

    def batches(self) -> Iterator[Any]:
        """The rows under their names, as Arrow tables of some thousand rows each."""
        shown = ", ".join(f"c{i} AS {quoted(name)}" for i, name in enumerate(self.columns))
        asked = self.content.then(f"SELECT {shown} FROM t")
        return self.engine.batches(asked.relation, self.name)

    def native(self) -> Any:
        """A pyarrow table."""
        return pa.concat_tables(self.batches())


def connect(place: PostgresPlace) -> psycopg.Connection[Any]:
    """One transaction, which sees the database as it is now until it ends."""
    with said_plainly(place.name):
        opened = psycopg.connect(place.address, application_name="lookalike", connect_timeout=30)
        opened.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        for setting in (
            "TimeZone = 'UTC'", "DateStyle = 'ISO'", "IntervalStyle = 'postgres'",
            "client_encoding = 'UTF8'", "extra_float_digits = 1", "bytea_output = 'hex'",
            "synchronize_seqscans = off",  # a heap is read from its start
            "client_min_messages = error",
        ):  # fmt: skip
            opened.execute(f"SET SESSION {setting}".encode())
        opened.commit()
    return opened


def open_postgres(place: PostgresPlace, engine: Postgres | None = None) -> PostgresTable:
    """The table, on a connection of its own or one that is there."""
    engine = engine or Postgres(connect(place))
    select = _stored(engine, place) if place.query is None else Select(place.query)
    with said_plainly(place.name, engine.connection):
        head = engine.connection.execute(f"SELECT * FROM ({select.sql}) q LIMIT 0".encode())
    found = names.checked(place.name, [column.name for column in head.description or ()])
    columns = ", ".join(f"{quoted(name)} AS c{i}" for i, name in enumerate(found))
    plain = Select(
        f"SELECT {columns} FROM ({select.sql}) q",
        select.stored and f"SELECT {columns}, {ORDER} FROM ({select.stored}) q",
    )
    return PostgresTable("postgresql", Rows(engine, plain, found, place.name), place)


def _stored(engine: Postgres, place: PostgresPlace) -> Select:
    """A table, and the order of its heap; a view or a foreign table has none."""
    sql = "SELECT relkind FROM pg_class WHERE oid = to_regclass(%s)"
    with said_plainly(place.name, engine.connection):
        found = engine.connection.execute(sql, [place.sql]).fetchone()
    if found is None:
        fix = "check schema and name; they are read exactly as they are spelt, capitals included"
        raise TableError(Fault(place.name, "there is no such table", fix))
    kind = found[0].decode() if isinstance(found[0], bytes) else found[0]
    heap = f"SELECT *, ctid AS {ORDER} FROM {place.sql}" if kind in "rm" else None
    return Select(f"SELECT * FROM {place.sql}", heap)
