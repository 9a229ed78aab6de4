"""Open a table, view or query of PostgreSQL, and list the tables of a database.

A plain table is read where it is. A view, a query or a foreign table may give other rows each time
it is read, so its rows are copied to a temporary table first.
"""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.errors import Fault, TableError
from lookalike.tables import column_names as names
from lookalike.tables.postgres.address import PostgresAddress
from lookalike.tables.postgres.copy_rows import MAX_NAME_BYTES
from lookalike.tables.postgres.engine import ORDER, Postgres, Select
from lookalike.tables.postgres.error_messages import (
    NO_TABLE,
    NO_TABLE_FIX,
    TEMPORARY,
    translate_errors,
    translate_query_errors,
)
from lookalike.tables.postgres.session import connect, seal, step
from lookalike.tables.postgres.table import PostgresTable
from lookalike.tables.sql.relation import Rows, numbered, quote_name

STORED = "rm"  # kinds of pg_class that have rows of their own: tables and materialized views
PARTITIONED = "p"  # its rows are in other tables
_FIND = """
SELECT c.oid, c.relkind::pg_catalog.text, c.relrowsecurity FROM pg_catalog.pg_class c
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
_SOURCES = """
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


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """The full name of a table, and what has this name in the catalog."""

    schema: str
    name: str
    oid: int | None = None  # None: nothing
    kind: str = ""
    filtered: bool = False  # row security: functions decide who sees which rows

    @property
    def sql(self) -> str:
        return f"{quote_name(self.schema)}.{quote_name(self.name)}"


def open_table(address: PostgresAddress) -> PostgresTable:
    """Open the table on a connection of its own."""
    engine = Postgres(connect(address))
    rows, oid = _open_rows(engine, address)
    seal(engine.connection, address.name)
    return PostgresTable("postgresql", rows, address, oid=oid)


def list_tables(address: PostgresAddress) -> list[str]:
    """List the tables and views that this role may read, as written after ``?table=``."""
    with connect(address) as connection, translate_errors(address.name):
        return [names.join_name(row) for row in connection.execute(_LIST.encode()).fetchall()]


def find_entry(engine: Postgres, address: PostgresAddress) -> CatalogEntry:
    """Look up schema and name; a name alone is found by this role's search_path."""
    for part in address.table:
        if len(part.encode()) > MAX_NAME_BYTES:
            problem = f"a name in PostgreSQL has at most {MAX_NAME_BYTES} bytes"
            raise TableError(Fault(address.name, problem, "choose a shorter one"))
    *schema, name = address.table
    if not schema:
        [found] = engine.fetch_one(_SCHEMA, [quote_name(name)], address.name) or (None,)
        if found is None:
            fix = "write the schema before the name: ?table=schema.name"
            raise TableError(Fault(address.name, "it is not clear in which schema it is", fix))
        schema = [found]
    row = engine.fetch_one(_FIND, [schema[0], name], address.name)
    return CatalogEntry(schema[0], name, *(row or ()))


def _open_rows(engine: Postgres, address: PostgresAddress) -> tuple[Rows, int | None]:
    """The rows at an address, and its oid; the engine notes which tables must not be replaced."""
    if address.query is not None:
        return _query_rows(engine, address), None
    entry = find_entry(engine, address)
    if entry.oid is None:
        raise TableError(Fault(address.name, NO_TABLE, NO_TABLE_FIX))
    _note_sources(engine, entry.oid, address.name)
    return entry_rows(engine, entry, address.name), entry.oid


def entry_rows(engine: Postgres, entry: CatalogEntry, where: str) -> Rows:
    """The columns of a table as c0, c1 …

    A column of a domain gets the type below it, since a domain may list values.
    """
    with step(engine.connection, where):
        columns = engine.connection.execute(_COLUMNS.encode(), [entry.oid]).fetchall()
    column_names = names.check_names(where, [name for name, _ in columns])
    shown = numbered(
        f"CAST({quote_name(name)} AS {base})" if base else quote_name(name)
        for name, base in columns
    )
    plain = f"SELECT {shown} FROM {entry.sql}"
    if entry.kind in STORED and not entry.filtered:
        select = Select(plain, f"SELECT {shown}, ctid AS {ORDER} FROM {entry.sql}")
    elif entry.kind in PARTITIONED and not entry.filtered:
        select = Select(plain)
    else:
        engine.describe(Select(plain), where)  # fails if this role may not read it
        select = engine.materialize(Select(plain), where, firm=True)
    engine.describe(select, where)
    return Rows(engine, select, column_names, where)


def _query_rows(engine: Postgres, address: PostgresAddress) -> Rows:
    """Through a view: that makes sure that the query is one SELECT and changes nothing.

    The query is not logged, since it may contain cells, written in any way that SQL has.
    """
    view, where = engine.new_name(), address.name
    text = f"CREATE TEMPORARY VIEW {view} AS {address.query}".encode()
    with (
        step(engine.connection, where, TEMPORARY),
        translate_query_errors(where),
        engine.connection.cursor() as cursor,
    ):
        cursor.execute(text, binary=True)  # so that only one statement is allowed
    oid = engine.oid_of(view, where)
    _note_sources(engine, oid, where)
    schema, _, name = view.partition(".")
    with translate_query_errors(where):
        rows = entry_rows(engine, CatalogEntry(schema, name, oid, "v"), where)
    engine.execute(f"DROP VIEW {view}", where)
    return rows


def _note_sources(engine: Postgres, oid: int, where: str) -> None:
    """Note the table, what a view reads, and what a table is a part of or has as parts."""
    [oids] = engine.fetch_one(_SOURCES, [oid], where) or ([],)
    engine.sources |= frozenset(map(int, oids))
