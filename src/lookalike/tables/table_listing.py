"""Which tables a database has, to choose one: names as they are written after ``?table=``."""

from __future__ import annotations

import os
from pathlib import Path

from lookalike.errors import Fault, TableError
from lookalike.tables.column_names import dotted
from lookalike.tables.duckdb import address as duck_place
from lookalike.tables.open import check_readable
from lookalike.tables.remote_tables import needs

_SHOWN = """
SELECT n.nspname, c.relname FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relpersistence <> 't'
  AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
  AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
"""


def tables_in(database: str | os.PathLike[str], *, views: bool = True) -> list[str]:
    """``schema.name`` of every table and view that can be read there, sorted.

    Without ``views`` those of DuckDB are left out: a view of a file that somebody sent may read
    other files of the computer.

    A database is the path of a DuckDB file, ``duckdb:path`` or ``postgresql://host/database``; an
    address may name a table, which does not matter.
    """
    from lookalike.tables.postgres.address import is_postgres

    text = os.fspath(database)
    if is_postgres(text):
        return sorted(_of_postgres(text))
    if duck_place.is_duck(text):
        return sorted(_of_duckdb(duck_place.parse(text).path, views))
    if duck_place.is_database(Path(text)):
        return sorted(_of_duckdb(Path(text), views))
    fix = "name postgresql://host/database, duckdb:file.duckdb or a file that ends in .duckdb"
    raise TableError(Fault("the database", "its tables cannot be listed", fix))


def _of_duckdb(path: Path, views: bool) -> list[str]:
    from lookalike.tables.duckdb.source import tables_of

    check_readable(path)
    return tables_of(duck_place.DuckPlace(path), views=views)


def _of_postgres(address: str) -> list[str]:
    needs("psycopg", "postgres")
    from lookalike.tables.postgres.address import parse_database
    from lookalike.tables.postgres.error_messages import translate_errors
    from lookalike.tables.postgres.session import connect

    place = parse_database(address)
    with connect(place) as opened, translate_errors(place.name):
        return [dotted(row) for row in opened.execute(_SHOWN.encode()).fetchall()]
