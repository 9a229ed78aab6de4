"""Write a release as a table of PostgreSQL, in one transaction; its certificate is the comment.

It is made under another name, read back, and renamed last: others wait only for that moment, and
see the old table before it and the new one after it.
"""

from __future__ import annotations

import secrets
from dataclasses import replace

from psycopg.sql import Literal

from lookalike.errors import Fault, FileError
from lookalike.tables.arrow_types import plain_type
from lookalike.tables.postgres import cells, copy_rows
from lookalike.tables.postgres.address import PostgresAddress
from lookalike.tables.postgres.engine import Postgres
from lookalike.tables.postgres.error_messages import CREATE, EXISTS, EXISTS_FIX, REPLACE
from lookalike.tables.postgres.session import commit, connect, identity, seal, step
from lookalike.tables.postgres.source import CatalogEntry, entry_rows, find_entry
from lookalike.tables.postgres.table import PostgresTable
from lookalike.tables.sql.relation import quote_name
from lookalike.tables.table import Table
from lookalike.tables.table_address import Check

LOCK_TIMEOUT = "30s"  # for those who use the table that is replaced
NOT_A_TABLE = "a view or another object with this name exists; only plain tables can be replaced"
NOT_A_TABLE_FIX = "choose another name, or drop it first"


def write_table(
    released: Table, address: PostgresAddress, note: str, check: Check, *, force: bool
) -> None:
    """Make the table, read it back by ``check``, and only then commit; else nothing is left.

    In the same database and by the same role the rows are copied on the server, else sent there.
    """
    check_target(address)
    there = Postgres(connect(address))
    where = address.name
    try:
        target = find_entry(there, address)
        engine, source = there, released.engine if isinstance(released, PostgresTable) else None
        if source is not None:
            *database, role = identity(source.connection, where)
            *target_database, target_role = identity(there.connection, where)
            if database == target_database and target.oid in source.sources:
                fix = "write to another table"
                raise FileError(Fault(where, "this is the input table itself", fix))
            if (database, role) == (target_database, target_role):
                engine = source
        if target.oid is not None and not force:
            raise FileError(Fault(where, EXISTS, EXISTS_FIX))
        if target.oid is not None and target.kind != "r":
            raise FileError(Fault(where, NOT_A_TABLE, NOT_A_TABLE_FIX))
        seal(there.connection, where)
        _create(engine, released, target, note, check, address)
    finally:
        there.connection.close()


def note_of(table: Table) -> str | None:
    """The comment of a table."""
    if not isinstance(table, PostgresTable) or table.oid is None:
        return None
    sql = "SELECT pg_catalog.obj_description(%s, 'pg_class')"
    row = table.engine.fetch_one(sql, [table.oid], table.name)
    return row[0] if row else None


def check_target(address: PostgresAddress) -> None:
    if address.query is not None:
        raise FileError(Fault(address.name, "a query cannot be written to", "name a table"))


def _create(
    engine: Postgres,
    released: Table,
    target: CatalogEntry,
    note: str,
    check: Check,
    address: PostgresAddress,
) -> None:
    where = address.name
    staged = replace(target, name=f"_lookalike_{secrets.token_hex(8)}", kind="r", filtered=False)
    with step(engine.connection, where):
        if isinstance(released, PostgresTable) and released.engine is engine:
            _copy(engine, released, staged, where)
        else:
            _send(engine, released, staged, where)
        rows = entry_rows(engine, replace(staged, oid=engine.oid_of(staged.sql, where)), where)
        check(PostgresTable("postgresql", rows, address))
        _comment(engine, staged, note, where)
        if target.oid is not None:
            sql = "SELECT set_config('lock_timeout', %s, true) "
            sql += "WHERE current_setting('lock_timeout') = '0'"
            engine.fetch_one(sql, [LOCK_TIMEOUT], where)
            engine.execute(f"DROP TABLE IF EXISTS {target.sql}", where, REPLACE)
        sql = f"ALTER TABLE {staged.sql} RENAME TO {quote_name(target.name)}"
        engine.execute(sql, where, CREATE)
    commit(engine.connection, where)


def _comment(engine: Postgres, staged: CatalogEntry, note: str, where: str) -> None:
    """COMMENT takes no parameters, so the driver writes the text into it."""
    with step(engine.connection, where):
        text = Literal(note).as_bytes(engine.connection)
        engine.connection.execute(f"COMMENT ON TABLE {staged.sql} IS ".encode() + text)


def _copy(engine: Postgres, released: PostgresTable, staged: CatalogEntry, where: str) -> None:
    """Copy the rows on the server, in their order."""
    shown = ", ".join(f"c{i} AS {quote_name(name)}" for i, name in enumerate(released.columns))
    select = released.content.query(f"SELECT {shown} FROM t").relation.sql
    engine.execute(f"CREATE TABLE {staged.sql} AS {select}", where, CREATE)


def _send(engine: Postgres, released: Table, staged: CatalogEntry, where: str) -> None:
    for i, batch in enumerate(released.batches()):
        if i == 0:
            copy_rows.check_schema(batch.schema, where)
            columns = ", ".join(
                f"{quote_name(field.name)} {cells.postgres_type(plain_type(field.type))}"
                for field in batch.schema
            )
            engine.execute(f"CREATE TABLE {staged.sql} ({columns})", where, CREATE)
        engine.copy_in(staged.sql, batch, where)
