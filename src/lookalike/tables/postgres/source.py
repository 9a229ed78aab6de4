"""Open a table, view or query of PostgreSQL.

A plain table is read where it is. A view, a query or a foreign table may give other rows each time
it is read, so its rows are copied to a temporary table first.
"""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.errors import Fault, TableError
from lookalike.tables import column_names as names
from lookalike.tables.postgres.address import PostgresAddress
from lookalike.tables.postgres.copy_rows import LONGEST
from lookalike.tables.postgres.engine import ORDER, Postgres, Select
from lookalike.tables.postgres.error_messages import (
    TEMPORARY,
    said_of_a_query,
    translate_errors,
)
from lookalike.tables.postgres.session import connect, seal, step
from lookalike.tables.postgres.table import PostgresTable
from lookalike.tables.sql.relation import Rows, quoted

HEAPS = "rm"  # tables and materialized views, in pg_class
PARTS = "p"  # a partitioned table has its rows in others
_FOUND = """
SELECT c.oid, c.relkind, c.relrowsecurity FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relname = %s
"""
_SCHEMA = """
SELECT coalesce((SELECT n.nspname FROM pg_catalog.pg_class c
                 JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                 WHERE c.oid = pg_catalog.to_regclass(%s)), pg_catalog.current_schema())
"""
_COLUMNS = """
SELECT a.attname, CASE WHEN t.typtype = 'd' THEN (
  WITH RECURSIVE base(typtype, typbasetype, oid, mod) AS (
    SELECT t.typtype, t.typbasetype, t.typbasetype, t.typtypmod
    UNION ALL
    SELECT d.typtype, d.typbasetype, CASE d.typtype WHEN 'd' THEN d.typbasetype ELSE d.oid END,
           CASE d.typtype WHEN 'd' THEN d.typtypmod ELSE b.mod END
    FROM base b JOIN pg_catalog.pg_type d ON d.oid = b.typbasetype WHERE b.typtype = 'd'
  ) SELECT pg_catalog.format_type(oid, mod) FROM base WHERE typtype <> 'd') END
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_USED = """
WITH RECURSIVE used(oid) AS (
  SELECT %s::pg_catalog.oid
  UNION
  SELECT f.oid FROM used u CROSS JOIN LATERAL (
    SELECT d.refobjid AS oid FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_depend d
      ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = r.oid
      AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass WHERE r.ev_class = u.oid
    UNION ALL SELECT inhrelid FROM pg_catalog.pg_inherits WHERE inhparent = u.oid
    UNION ALL SELECT inhparent FROM pg_catalog.pg_inherits WHERE inhrelid = u.oid
  ) f
) SELECT pg_catalog.array_agg(oid) FROM used
"""


_LIST = """
SELECT n.nspname, c.relname FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relpersistence <> 't'
  AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
  AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
"""


def open_table(address: PostgresAddress) -> PostgresTable:
    """Open the table on a connection of its own."""
    engine = Postgres(connect(address))
    rows = opened(engine, address)
    seal(engine.connection, address.name)
    return PostgresTable("postgresql", rows, address)


def list_tables(address: PostgresAddress) -> list[str]:
    """List the tables and views that this role may read, as written after ``?table=``."""
    with connect(address) as connection, translate_errors(address.name):
        return [names.dotted(row) for row in connection.execute(_LIST.encode()).fetchall()]


@dataclass(frozen=True, slots=True)
class Named:
    """A table's full name, and what is there."""

    schema: str
    name: str
    oid: int | None = None
    kind: str = ""
    filtered: bool = False  # who may see which rows is decided by functions

    @property
    def sql(self) -> str:
        return f"{quoted(self.schema)}.{quoted(self.name)}"


def named(engine: Postgres, place: PostgresAddress) -> Named:
    """By schema and name; a name alone is looked up as this role's search_path says."""
    for part in place.table:
        if len(part.encode()) > LONGEST:
            problem = f"a name in PostgreSQL has at most {LONGEST} bytes"
            raise TableError(Fault(place.name, problem, "choose a shorter one"))
    *schema, name = place.table
    if not schema:
        [found] = engine.one(_SCHEMA, [quoted(name)], place.name) or (None,)
        if found is None:
            fix = "write the schema before the name: ?table=schema.name"
            raise TableError(Fault(place.name, "it is not clear in which schema", fix))
        schema = [found]
    there = engine.one(_FOUND, [schema[0], name], place.name)
    if there is None:
        return Named(schema[0], name)
    oid, kind, filtered = there
    return Named(schema[0], name, oid, kind.decode() if isinstance(kind, bytes) else kind, filtered)


def opened(engine: Postgres, place: PostgresAddress) -> Rows:
    """The rows of a place; what may not be replaced because of them is noted in the engine."""
    if place.query is not None:
        return _queried(engine, place)
    found = named(engine, place)
    if found.oid is None:
        fix = "check schema and name; they are read exactly as they are spelt, capitals included"
        raise TableError(Fault(place.name, "there is no such table", fix))
    _note_sources(engine, found.oid, place.name)
    return stored(engine, found, place.name)


def stored(engine: Postgres, found: Named, where: str) -> Rows:
    """The columns of a table as c0, c1 …, those of a domain as the type below it: a domain may
    list values.
    """
    with step(engine.connection, where):
        columns = engine.connection.execute(_COLUMNS.encode(), [found.oid]).fetchall()
    called = names.checked(where, [name for name, _ in columns])
    shown = ", ".join(
        (f"CAST({quoted(name)} AS {base})" if base else quoted(name)) + f" AS c{i}"
        for i, (name, base) in enumerate(columns)
    )
    plain = f"SELECT {shown} FROM {found.sql}"
    if found.kind in HEAPS and not found.filtered:
        select = Select(plain, f"SELECT {shown}, ctid AS {ORDER} FROM {found.sql}")
    elif found.kind in PARTS and not found.filtered:
        select = Select(plain)
    else:
        engine.described(Select(plain), where)  # may this role read it at all?
        select = engine.hold(Select(plain), where, firm=True)
    engine.described(select, where)
    return Rows(engine, select, called, where)


def _queried(engine: Postgres, place: PostgresAddress) -> Rows:
    """Through a view, which is one SELECT and changes nothing, whatever the query says.

    The query is not logged: it may have cells in it, written in any of the ways that SQL has.
    """
    view = engine.new_name()
    text = f"CREATE TEMPORARY VIEW {view} AS {place.query}".encode()
    with (
        step(engine.connection, place.name, TEMPORARY),
        said_of_a_query(place.name),
        engine.connection.cursor() as cursor,
    ):
        cursor.execute(text, binary=True)  # so that there is one statement
    [oid] = engine.one("SELECT %s::pg_catalog.regclass::pg_catalog.oid", [view], place.name) or [0]
    _note_sources(engine, oid, place.name)
    schema, _, name = view.partition(".")
    with said_of_a_query(place.name):
        rows = stored(engine, Named(schema, name, oid, "v"), place.name)
    engine.execute(f"DROP VIEW {view}", place.name)
    return rows


def _note_sources(engine: Postgres, oid: int, where: str) -> None:
    """The table, what a view reads, and what a table is a part of or has as parts."""
    [used] = engine.one(_USED, [oid], where) or ([],)
    engine.sources |= frozenset(map(int, used))
