"""A release as a table of PostgreSQL, in one transaction; its certificate is the comment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from lookalike.errors import Fault, FileError, TableError
from lookalike.tables.postgres import cells
from lookalike.tables.postgres.engine import Postgres, said_plainly
from lookalike.tables.postgres.place import PostgresPlace
from lookalike.tables.postgres.table import PostgresTable, connect, open_postgres
from lookalike.tables.rows import quoted
from lookalike.tables.table import Table


def write_table(
    released: Table,
    target: PostgresPlace,
    note: str,
    check: Callable[[Table], None],
    *,
    force: bool,
) -> None:
    """Make the table, read it back by ``check``, and only then commit; else it never was.

    From the same server and role the rows are copied there, from elsewhere they are sent.
    """
    check_target(target)
    here = isinstance(released, PostgresTable) and released.place.address == target.address
    if isinstance(released, PostgresTable) and here:
        engine = released.engine
    else:
        engine = Postgres(connect(target))
    try:
        _make_room(engine, target, force)
        if isinstance(released, PostgresTable) and here:
            shown = ", ".join(f"c{i} AS {quoted(name)}" for i, name in enumerate(released.columns))
            select = released.content.then(f"SELECT {shown} FROM t").relation.sql
            engine.execute(f"CREATE TABLE {target.sql} AS {select}", target.name)
        else:
            _send(engine, target, released)
        check(open_postgres(target, engine))
        with said_plainly(target.name, engine.connection):
            quoted_note = _literal(note, engine.connection)
            engine.connection.execute(
                b"COMMENT ON TABLE " + target.sql.encode() + b" IS " + quoted_note
            )
            engine.connection.commit()
    except BaseException:
        if not engine.connection.closed:
            engine.connection.rollback()
        raise
    finally:
        if not here:
            engine.connection.close()


def note_of(table: PostgresTable) -> str | None:
    """The comment of a table."""
    sql = "SELECT obj_description(to_regclass(%s), 'pg_class')"
    if table.place.query is not None:
        return None
    with said_plainly(table.name, table.engine.connection):
        found = table.engine.connection.execute(sql, [table.place.sql]).fetchone()
    return found[0] if found else None


def check_target(target: PostgresPlace) -> None:
    if target.query is not None:
        raise FileError(Fault(target.name, "a query cannot be written to", "name a table"))


def _literal(text: str, connection: Any) -> bytes:
    """COMMENT takes no parameters."""
    from psycopg import sql

    return sql.Literal(text).as_bytes(connection)


def _make_room(engine: Postgres, target: PostgresPlace, force: bool) -> None:
    sql = "SELECT to_regclass(%s) IS NOT NULL"
    with said_plainly(target.name, engine.connection):
        found = engine.connection.execute(sql, [target.sql]).fetchone()
    if found is None or not found[0]:
        return
    if not force:
        fix = "choose another name, or force it to be replaced"
        raise FileError(Fault(target.name, "the table exists", fix))
    engine.execute(f"DROP TABLE {target.sql}", target.name)


def _send(engine: Postgres, target: PostgresPlace, released: Table) -> None:
    made = False
    for batch in released.batches():
        if not made:
            columns = ", ".join(
                f"{quoted(field.name)} {cells.postgres(_plain(field.type))}"
                for field in batch.schema
            )
            engine.execute(f"CREATE TABLE {target.sql} ({columns})", target.name)
            made = True
        engine.copy_in(target.sql, batch, target.name)
    if not made:
        raise TableError(Fault(target.name, "there was nothing to write", "run again"))


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind
