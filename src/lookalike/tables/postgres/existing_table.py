"""Look for a table at an address in PostgreSQL before the work begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lookalike.errors import Fault, FileError
from lookalike.tables.postgres.address import PostgresAddress
from lookalike.tables.postgres.error_messages import translate_errors
from lookalike.tables.postgres.session import connect
from lookalike.tables.postgres.writing import NOT_A_TABLE, NOT_A_TABLE_FIX, check_target

_LOOK_UP = """
SELECT pg_postmaster_start_time()::text || current_database(),
       n.oid, has_schema_privilege(n.oid, 'CREATE'), c.oid, c.relkind::text
FROM (SELECT to_regclass(%(table)s) AS oid) t
LEFT JOIN pg_namespace n ON n.nspname = coalesce(%(schema)s, current_schema())
LEFT JOIN pg_class c ON c.oid = t.oid
"""
_LOCKED = "SELECT relation FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'"


@dataclass(frozen=True, slots=True)
class ExistingTable:
    """What is at an address: schema and table by their oids, None if there is none."""

    server: str
    schema: int | None
    may_create: bool | None
    table: int | None
    kind: str | None


def find_existing(address: PostgresAddress, source: Any) -> tuple[bool, bool]:
    """Is there a table, and does the ``source`` read it?

    FileError if this role cannot write there, or something other than a table has the name.
    """
    check_target(address)
    existing = look_up(address)
    if isinstance(source, PostgresAddress) and _reads(source, existing):
        return True, True
    if existing.schema is None:
        fix = "create it, or name another"
        raise FileError(Fault(address.name, "there is no such schema", fix))
    if not existing.may_create:
        fix = "grant this role CREATE on the schema, or name another"
        raise FileError(Fault(address.name, "this role may not create tables there", fix))
    if existing.table is None:
        return False, False
    if existing.kind != "r":
        raise FileError(Fault(address.name, NOT_A_TABLE, NOT_A_TABLE_FIX))
    return True, False


def look_up(address: PostgresAddress) -> ExistingTable:
    schema = address.table[0] if len(address.table) > 1 else None
    with connect(address) as connection, translate_errors(address.name):
        row = connection.execute(_LOOK_UP, {"table": address.sql, "schema": schema}).fetchone()
    assert row is not None
    return ExistingTable(*row)


def _reads(source: PostgresAddress, existing: ExistingTable) -> bool:
    """Does it read the table, also through views and queries? Planning locks all that is read."""
    if existing.table is None:
        return False
    select = source.query or f"SELECT * FROM {source.sql}"
    with connect(source) as connection, translate_errors(source.name):
        server = connection.execute(_LOOK_UP, {"table": "pg_class", "schema": None}).fetchone()
        connection.execute(f"EXPLAIN SELECT * FROM ({select}) q".encode())
        read = {oid for (oid,) in connection.execute(_LOCKED)}
    return server is not None and server[0] == existing.server and existing.table in read
