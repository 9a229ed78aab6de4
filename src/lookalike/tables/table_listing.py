"""Which tables a database has, to choose one: names as they are written after ``?table=``."""

from __future__ import annotations

import os
from pathlib import Path

from lookalike.errors import Fault, TableError
from lookalike.tables.duckdb import address as duckdb_address
from lookalike.tables.open import check_readable
from lookalike.tables.remote_tables import needs


def tables_in(database: str | os.PathLike[str], *, views: bool = True) -> list[str]:
    """``schema.name`` of every table and view that can be read there, sorted.

    Without ``views`` those of DuckDB are left out: a view of a file that somebody sent may read
    other files of the computer.

    A database is the path of a DuckDB file, ``duckdb:path`` or ``postgresql://host/database``; an
    address may name a table, which does not matter.
    """
    from lookalike.tables.postgres.address import is_address as is_postgres

    text = os.fspath(database)
    if is_postgres(text):
        return sorted(_of_postgres(text))
    if duckdb_address.is_address(text):
        return sorted(_of_duckdb(duckdb_address.parse(text).path, views))
    if duckdb_address.is_database(Path(text)):
        return sorted(_of_duckdb(Path(text), views))
    fix = "name postgresql://host/database, duckdb:file.duckdb or a file that ends in .duckdb"
    raise TableError(Fault("the database", "its tables cannot be listed", fix))


def _of_duckdb(path: Path, views: bool) -> list[str]:
    from lookalike.tables.duckdb.source import list_tables

    check_readable(path)
    return list_tables(duckdb_address.DuckDBAddress(path), views=views)


def _of_postgres(address: str) -> list[str]:
    needs("psycopg", "postgres")
    from lookalike.tables.postgres.address import parse_database
    from lookalike.tables.postgres.source import list_tables

    return list_tables(parse_database(address))
