"""Look for a table at an address in PostgreSQL before the work begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lookalike.errors import Fault, FileError
from lookalike.tables.postgres.address import PostgresAddress
from lookalike.tables.postgres.error_messages import translate_errors
from lookalike.tables.postgres.session import connect
from lookalike.tables.postgres.writing import check_target

_LOOK = """
SELECT pg_postmaster_start_time()::text || current_database(),
       n.oid, has_schema_privilege(n.oid, 'CREATE'), c.oid, c.relkind::text
FROM (SELECT to_regclass(%(table)s) AS oid) t
LEFT JOIN pg_namespace n ON n.nspname = coalesce(%(schema)s, current_schema())
LEFT JOIN pg_class c ON c.oid = t.oid
"""
_READ = "SELECT relation FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'"


@dataclass(frozen=True, slots=True)
class Seen:
    """One table of PostgreSQL, by the numbers that the server gave."""

    server: str
    schema: int | None
    may_create: bool | None
    table: int | None
    kind: str | None


def find_existing(place: PostgresAddress, source: Any) -> tuple[bool, bool]:
    """Is there a table, and does the ``source`` read it?

    FileError if this role cannot write there, or something else than a table has the name.
    """
    check_target(place)
    seen = look(place)
    if isinstance(source, PostgresAddress) and seen.table is not None and _reads(source, seen):
        return True, True
    if seen.schema is None:
        fix = "make it, or name another"
        raise FileError(Fault(place.name, "there is no such schema", fix))
    if not seen.may_create:
        fix = "grant this role CREATE on the schema, or name another"
        raise FileError(Fault(place.name, "this role may make no tables there", fix))
    if seen.table is None:
        return False, False
    if seen.kind != "r":
        problem = "there is a view, or something else that is no plain table"
        raise FileError(Fault(place.name, problem, "choose another name"))
    return True, False


def look(place: PostgresAddress) -> Seen:
    schema = place.table[0] if len(place.table) > 1 else None
    with connect(place) as opened, translate_errors(place.name):
        found = opened.execute(_LOOK, {"table": place.sql, "schema": schema}).fetchone()
    assert found is not None
    return Seen(*found)


def _reads(given: PostgresAddress, seen: Seen) -> bool:
    """However it is spelt, and through views and queries: planning locks all that would be read."""
    select = given.query or f"SELECT * FROM {given.sql}"
    with connect(given) as opened, translate_errors(given.name):
        server = opened.execute(_LOOK, {"table": "pg_class", "schema": None}).fetchone()
        opened.execute(f"EXPLAIN SELECT * FROM ({select}) q".encode())
        read = {relation for (relation,) in opened.execute(_READ)}
    return server is not None and server[0] == seen.server and seen.table in read
