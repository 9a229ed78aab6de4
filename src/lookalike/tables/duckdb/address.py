"""Where in a DuckDB database: ``duckdb:path/to/file.duckdb?table=schema.name``.

The path is relative to where the program runs, or absolute: ``duckdb:/data/file.duckdb`` and
``duckdb:///data/file.duckdb`` are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from lookalike.errors import Fault, TableError
from lookalike.tables.column_names import dotted, undotted

SCHEME = "duckdb:"
SUFFIXES = (".duckdb", ".ddb")
FIX = "write it as duckdb:file.duckdb?table=schema.name"


@dataclass(frozen=True, slots=True)
class DuckPlace:
    """A table in a database file, or with no ``table`` the database."""

    path: Path
    table: tuple[str, ...] = ()  # schema and name, or the name alone

    @property
    def name(self) -> str:
        """For messages."""
        return dotted(self.table) if self.table else self.path.name


def is_duck(text: str) -> bool:
    return text.lower().startswith(SCHEME)


def is_database(path: Path) -> bool:
    """Does the end of its name say so?"""
    return path.suffix.lower() in SUFFIXES


def parse(address: str) -> DuckPlace:
    """The place that an address names, or a TableError.

    As in other addresses ``%20`` is a blank, and so ``%3F`` is a question mark in a file's name.
    """
    file, _, asked = address[len(SCHEME) :].partition("?")
    pairs = [pair.partition("=") for pair in asked.split("&") if pair]
    try:
        path = unquote(file.removeprefix("//"), errors="strict")
        found = [(name, unquote(text, errors="strict")) for name, _, text in pairs]
    except ValueError:
        raise TableError(Fault("duckdb", "this does not read as an address", FIX)) from None
    tables = [text for name, text in found if name == "table" and text.strip()]
    if not path.strip() or "\0" in path:
        raise TableError(Fault("duckdb", "it names no file", FIX))
    if len(tables) > 1 or any(name != "table" for name, _ in found):
        problem = "after the question mark there is more than one table"
        raise TableError(Fault("duckdb", problem, FIX))
    named = undotted(tables[0]) if tables else ()
    if named is None:
        raise TableError(Fault("duckdb", "this does not read as a table's name", FIX))
    return DuckPlace(Path(path), named)
