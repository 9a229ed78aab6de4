"""The address of a table in a DuckDB database: ``duckdb:path/to/file.duckdb?table=schema.name``.

The path is relative to the working directory, or absolute: ``duckdb:/data/file.duckdb`` and
``duckdb:///data/file.duckdb`` are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from lookalike.errors import Fault, FileError, TableError
from lookalike.tables.column_names import join_name, split_name
from lookalike.tables.files.file_access import check_readable
from lookalike.tables.table import Table
from lookalike.tables.table_address import TableAddress

SUFFIXES = (".duckdb", ".ddb")
_FIX = "write it as duckdb:file.duckdb?table=schema.name"


@dataclass(frozen=True, slots=True)
class DuckDBAddress(TableAddress):
    """A table in a database file; without ``table``, the database. It is read, never written."""

    path: Path
    table: tuple[str, ...] = ()  # schema and name, or the name alone

    scheme = "duckdb"
    example = "duckdb:file.duckdb?table=schema.name"
    has_password = False

    @property
    def name(self) -> str:
        return join_name(self.table) if self.table else self.path.name

    @classmethod
    def parse(cls, text: str) -> DuckDBAddress:
        """Read an address, or raise a TableError.

        ``%20`` is a space and ``%3F`` is a question mark, as in other addresses.
        """
        file, _, query = text[len("duckdb:") :].partition("?")
        pairs = [pair.partition("=") for pair in query.split("&") if pair]
        try:
            path = unquote(file.removeprefix("//"), errors="strict")
            options = [(name, unquote(value, errors="strict")) for name, _, value in pairs]
        except ValueError:
            raise TableError(Fault("duckdb", "this is not a valid address", _FIX)) from None
        tables = [value for name, value in options if name == "table" and value.strip()]
        if not path.strip() or "\0" in path:
            raise TableError(Fault("duckdb", "the address names no file", _FIX))
        if len(tables) > 1 or any(name != "table" for name, _ in options):
            problem = "after the question mark only one table= is allowed"
            raise TableError(Fault("duckdb", problem, _FIX))
        table = split_name(tables[0]) if tables else ()
        if table is None:
            raise TableError(Fault("duckdb", "this is not a valid table name", _FIX))
        return DuckDBAddress(Path(path), table)

    def open(self) -> Table:
        from lookalike.tables.duckdb.source import open_table  # late: loads duckdb

        check_readable(self.path)
        return open_table(self)

    @classmethod
    def list_tables(cls, text: str, *, views: bool) -> list[str]:
        return list_tables(cls.parse(text).path, views=views)

    def _cannot_write(self) -> FileError:
        """Only one process can write to such a database, and it is not meant for sharing."""
        fix = (
            "write a .parquet or .csv file; DuckDB reads both: CREATE TABLE … AS FROM "
            "'release.parquet'"
        )
        return FileError(Fault(self.name, "a release is not written into a DuckDB database", fix))


def is_database(path: Path) -> bool:
    """Has the file an extension of DuckDB databases?"""
    return path.suffix.lower() in SUFFIXES


def list_tables(path: Path, *, views: bool) -> list[str]:
    """The tables of a database file, and its ``views``."""
    from lookalike.tables.duckdb import source  # late: loads duckdb

    check_readable(path)
    return source.list_tables(DuckDBAddress(path), views=views)
