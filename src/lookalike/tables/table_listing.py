"""Which tables a database has, to choose one: names as they are written after ``?table=``."""

from __future__ import annotations

import os
from pathlib import Path

from lookalike.errors import Fault, TableError
from lookalike.tables.addresses import address_kind, check_package, is_address
from lookalike.tables.duckdb.address import is_database, list_tables


def tables_in(database: str | os.PathLike[str], *, views: bool = True) -> list[str]:
    """``schema.name`` of every table and view that can be read there, sorted.

    Without ``views`` those of DuckDB are left out: a view of a file that somebody sent may read
    other files of the computer.

    A database is the path of a DuckDB file, ``duckdb:path`` or ``postgresql://host/database``; an
    address may name a table, which does not matter.
    """
    text = os.fspath(database)
    if is_address(text):
        kind = address_kind(text)
        check_package(kind)
        return sorted(kind.list_tables(text, views=views))
    if is_database(Path(text)):
        return sorted(list_tables(Path(text), views=views))
    fix = "name postgresql://host/database, duckdb:file.duckdb or a file that ends in .duckdb"
    raise TableError(Fault("the database", "its tables cannot be listed", fix))
