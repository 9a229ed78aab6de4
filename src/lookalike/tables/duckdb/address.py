"""The address of a table in a DuckDB database: ``duckdb:path/to/file.duckdb?table=schema.name``.

The path is relative to the working directory, or absolute: ``duckdb:/data/file.duckdb`` and
``duckdb:///data/file.duckdb`` are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from lookalike.errors import Fault, TableError
from lookalike.tables.column_names import dotted, undotted

SCHEMES = ("duckdb:",)
SUFFIXES = (".duckdb", ".ddb")
_FIX = "write it as duckdb:file.duckdb?table=schema.name"


@dataclass(frozen=True, slots=True)
class DuckDBAddress:
    """A table in a database file; without ``table``, the database."""

    path: Path
    table: tuple[str, ...] = ()  # schema and name, or the name alone

    @property
    def name(self) -> str:
        """For messages."""
        return dotted(self.table) if self.table else self.path.name


def is_address(text: str) -> bool:
    return text.lower().startswith(SCHEMES)


def is_database(path: Path) -> bool:
    """Has the file an extension of DuckDB databases?"""
    return path.suffix.lower() in SUFFIXES


def parse(address: str) -> DuckDBAddress:
    """Read an address, or raise a TableError.

    ``%20`` is a space and ``%3F`` is a question mark, as in other addresses.
    """
    file, _, query = address[len(SCHEMES[0]) :].partition("?")
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    try:
        path = unquote(file.removeprefix("//"), errors="strict")
        options = [(name, unquote(text, errors="strict")) for name, _, text in pairs]
    except ValueError:
        raise TableError(Fault("duckdb", "this is not a valid address", _FIX)) from None
    tables = [text for name, text in options if name == "table" and text.strip()]
    if not path.strip() or "\0" in path:
        raise TableError(Fault("duckdb", "the address names no file", _FIX))
    if len(tables) > 1 or any(name != "table" for name, _ in options):
        problem = "after the question mark only one table= is allowed"
        raise TableError(Fault("duckdb", problem, _FIX))
    table = undotted(tables[0]) if tables else ()
    if table is None:
        raise TableError(Fault("duckdb", "this is not a valid table name", _FIX))
    return DuckDBAddress(Path(path), table)
