"""What stands at an address already: looked at before the work begins, as files are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.cli.address import Address, open_place
from lookalike.errors import Fault, FileError, LookalikeError

if TYPE_CHECKING:
    from lookalike.tables.postgres.place import PostgresPlace

_LOOK = """
SELECT pg_postmaster_start_time()::text || current_database(),
       n.oid, has_schema_privilege(n.oid, 'CREATE'), c.oid, c.relkind::text
FROM (SELECT to_regclass(%(table)s) AS oid) t
LEFT JOIN pg_namespace n ON n.nspname = coalesce(%(schema)s, current_schema())
LEFT JOIN pg_class c ON c.oid = t.oid
"""
UNSEEN = "the server does not answer"
_READ = "SELECT relation FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'"


def check_output(out: Address, table: Path | Address, *, force: bool) -> None:
    """Whatever can be seen now of what would keep the release from being written at the end."""
    place = out.check().place
    given = table.check().place if isinstance(table, Address) else None
    exists, is_input = (_spark if isinstance(place, str) else _postgres)(place, given)
    if is_input:
        problem = "this is the input table, or part of it, which is never written over"
        raise FileError(Fault(out.name, problem, "write to another table"))
    if exists and not force:
        fix = "choose another name, or add --force"
        raise FileError(Fault(out.name, "the table exists", fix))


def mark(out: Address) -> object:
    """By which a table that was replaced is known; None if there is none, or UNSEEN."""
    try:
        place = out.check().place
        if not isinstance(place, str):
            return _look(place).table
        if not _spark(place, None)[0]:
            return None
        from lookalike.tables.elsewhere import note_of

        return note_of(open_place(out))
    except LookalikeError:
        return UNSEEN


@dataclass(frozen=True, slots=True)
class Seen:
    """One table of PostgreSQL, by the numbers that the server gave."""

    server: str
    schema: int | None
    may_create: bool | None
    table: int | None
    kind: str | None


def _postgres(place: PostgresPlace, given: Any) -> tuple[bool, bool]:
    """Is there a table, and does the input read it?"""
    from lookalike.tables.postgres.writing import check_target

    check_target(place)
    seen = _look(place)
    if seen.schema is None:
        fix = "make it, or name another"
        raise FileError(Fault(place.name, "there is no such schema", fix))
    if not seen.may_create:
        fix = "grant this role CREATE on the schema, or name another"
        raise FileError(Fault(place.name, "this role may make no tables there", fix))
    if seen.table is None:
        return False, False
    if given is not None and not isinstance(given, str) and _reads(given, seen):
        return True, True
    if seen.kind != "r":
        problem = "there is a view, or something else that is no plain table"
        raise FileError(Fault(place.name, problem, "choose another name"))
    return True, False


def _look(place: PostgresPlace) -> Seen:
    from lookalike.tables.postgres.faults import said_plainly
    from lookalike.tables.postgres.session import connect

    schema = place.table[0] if len(place.table) > 1 else None
    with connect(place) as opened, said_plainly(place.name):
        found = opened.execute(_LOOK, {"table": place.sql, "schema": schema}).fetchone()
    assert found is not None
    return Seen(*found)


def _reads(given: PostgresPlace, seen: Seen) -> bool:
    """However it is spelt, and through views and queries: planning locks all that would be read."""
    from lookalike.tables.postgres.faults import said_plainly
    from lookalike.tables.postgres.session import connect

    select = given.query or f"SELECT * FROM {given.sql}"
    with connect(given) as opened, said_plainly(given.name):
        server = opened.execute(_LOOK, {"table": "pg_class", "schema": None}).fetchone()
        opened.execute(f"EXPLAIN SELECT * FROM ({select}) q".encode())
        read = {relation for (relation,) in opened.execute(_READ)}
    return server is not None and server[0] == seen.server and seen.table in read


def _spark(place: str, given: Any) -> tuple[bool, bool]:
    """Is there a table, and is it the input? Starts Spark, which is needed at the end anyway."""
    from lookalike.tables.spark.engine import said_plainly
    from lookalike.tables.spark.table import current_session, quoted_name

    name = quoted_name(place)
    catalog = current_session().catalog
    with said_plainly(place):
        exists = catalog.tableExists(name)
        if not exists or not isinstance(given, str):
            return exists, False
        one, other = (catalog.getTable(quoted_name(each)) for each in (place, given))
    parts = [(each.catalog, each.namespace, each.name.lower()) for each in (one, other)]
    return True, parts[0] == parts[1]
