"""A release as a table of PostgreSQL, in one transaction; its certificate is the comment.

It is made under another name, read back, and takes its place last: others wait for that moment
alone, and see the old table before it and the new one after it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace

from psycopg.sql import Literal

from lookalike.errors import Fault, FileError, TableError
from lookalike.tables.postgres import cells
from lookalike.tables.postgres import copy_rows as copying
from lookalike.tables.postgres.address import PostgresAddress
from lookalike.tables.postgres.engine import Postgres
from lookalike.tables.postgres.error_messages import CREATE, REPLACE
from lookalike.tables.postgres.session import commit, connect, identity, role, seal, step
from lookalike.tables.postgres.source import Named, named, stored
from lookalike.tables.postgres.table import PostgresTable
from lookalike.tables.sql.relation import quoted
from lookalike.tables.table import Table

PATIENCE = "30s"  # to wait for those who use the table that is replaced
Check = Callable[[Table], None]


def write_table(
    released: Table, target: PostgresAddress, note: str, check: Check, *, force: bool
) -> None:
    """Make the table, read it back by ``check``, and only then commit; else it never was.

    In the same database by the same role the rows are copied there, else they are sent.
    """
    check_target(target)
    there = Postgres(connect(target))
    try:
        goal = named(there, target)
        engine, source = there, released.engine if isinstance(released, PostgresTable) else None
        if source is not None and _same_database(source, there, target.name):
            if goal.oid in source.sources:
                fix = "write to another table"
                raise FileError(Fault(target.name, "this is the input table itself", fix))
            if _same_role(source, there, target.name):
                engine = source
        _check_free(goal, target.name, force)
        seal(there.connection, target.name)
        _put(engine, released, goal, note, check, target)
    finally:
        there.connection.close()


def note_of(table: PostgresTable) -> str | None:
    """The comment of a table."""
    if table.place.query is not None:
        return None
    found = named(table.engine, table.place)
    sql = "SELECT pg_catalog.obj_description(%s, 'pg_class')"
    said = table.engine.one(sql, [found.oid], table.name)
    return said[0] if said else None


def check_target(target: PostgresAddress) -> None:
    if target.query is not None:
        raise FileError(Fault(target.name, "a query cannot be written to", "name a table"))


def _same_database(one: Postgres, other: Postgres, where: str) -> bool:
    return identity(one.connection, where) == identity(other.connection, where)


def _same_role(one: Postgres, other: Postgres, where: str) -> bool:
    return role(one.connection, where) == role(other.connection, where)


def _check_free(goal: Named, where: str, force: bool) -> None:
    if goal.oid is None:
        return
    if not force:
        fix = "choose another name, or force it to be replaced"
        raise FileError(Fault(where, "the table exists", fix))
    if goal.kind != "r":
        problem = "what has this name is no plain table, and is not replaced"
        raise FileError(Fault(where, problem, "choose another name, or drop it first"))


def _put(
    engine: Postgres, released: Table, goal: Named, note: str, check: Check, target: PostgresAddress
) -> None:
    where = target.name
    staged = replace(goal, name=f"_lookalike_{secrets.token_hex(8)}", kind="r", filtered=False)
    with step(engine.connection, where):
        if isinstance(released, PostgresTable) and released.engine is engine:
            _copy(engine, released, staged, where)
        else:
            _send(engine, released, staged, where)
        sql = "SELECT %s::pg_catalog.regclass::pg_catalog.oid"
        [oid] = engine.one(sql, [staged.sql], where) or (None,)
        rows = stored(engine, replace(staged, oid=oid), where)
        check(PostgresTable("postgresql", rows, target))
        _comment(engine, staged, note, where)
        if goal.oid is not None:
            sql = "SELECT set_config('lock_timeout', %s, true) "
            sql += "WHERE current_setting('lock_timeout') = '0'"
            engine.one(sql, [PATIENCE], where)
            engine.execute(f"DROP TABLE IF EXISTS {goal.sql}", where, REPLACE)
        engine.execute(f"ALTER TABLE {staged.sql} RENAME TO {quoted(goal.name)}", where, CREATE)
    commit(engine.connection, where)


def _comment(engine: Postgres, staged: Named, note: str, where: str) -> None:
    """COMMENT takes no parameters, so the driver writes the text into it."""
    with step(engine.connection, where):
        text = Literal(note).as_bytes(engine.connection)
        engine.connection.execute(f"COMMENT ON TABLE {staged.sql} IS ".encode() + text)


def _copy(engine: Postgres, released: PostgresTable, staged: Named, where: str) -> None:
    """On the server, in the order in which the release is held."""
    shown = ", ".join(f"c{i} AS {quoted(name)}" for i, name in enumerate(released.columns))
    select = released.content.query(f"SELECT {shown} FROM t").relation.sql
    engine.execute(f"CREATE TABLE {staged.sql} AS {select}", where, CREATE)


def _send(engine: Postgres, released: Table, staged: Named, where: str) -> None:
    made = False
    for batch in released.batches():
        if not made:
            copying.check_can_be_sent(batch.schema, where)
            columns = ", ".join(
                f"{quoted(field.name)} {cells.postgres(copying.plain(field.type))}"
                for field in batch.schema
            )
            engine.execute(f"CREATE TABLE {staged.sql} ({columns})", where, CREATE)
            made = True
        engine.copy_in(staged.sql, batch, where)
    if not made:
        raise TableError(Fault(where, "there was nothing to write", "run again"))
