"""DuckDB's errors in our words: its own messages quote cells, paths and process numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from lookalike.errors import Fault, TableError
from lookalike.tables.duckdb.cells import TOO_FINE

# each: part of DuckDB's message, the problem, the fix
_OPEN_FAULTS = (
    ("Could not set lock", "another program has this database open, and may write to it",
     "close it there, or wait until it is done, and run again"),
    ("Unique file handle conflict", "this program has the database open for writing",
     "close that connection, or pass a relation of it: connection.table(…)"),
    ("not a valid DuckDB", "this is not a DuckDB database", "name a file that DuckDB made"),
    ("ncrypt", "the database is encrypted", "export the table as Parquet, and pass that file"),
    ("version number", "another version of DuckDB made the file, and this one cannot read it",
     "export the table as Parquet there and pass that file, or install that version of DuckDB"),
    ("orrupt", "the database file is damaged", "use an intact copy"),
    ("Could not read", "the database file is damaged or incomplete", "use an intact copy"),
    ("Permission", "no permission to read this file", "ask for read permission"),
)  # fmt: skip
_CSV_FAULTS = (
    ("unterminated quote", "a quote is not closed", 'double a quote inside a quoted cell: ""'),
    ("Expected Number of Columns", "more or fewer cells than names", "give each line every cell"),
    ("Maximum line size", "the line is too long", "look for a quote that is not closed above it"),
    ("unicode", "not valid text", "save the file as UTF-8"),
    ("state machine", "it cannot be read as CSV", "use the same line ending on every line"),
)


@contextmanager
def translate_errors(where: str) -> Iterator[None]:
    """Turn errors of a query into a TableError with the line and the kind of mistake."""
    try:
        yield
    except duckdb.Error as error:
        raise TableError(_fault(where, error)) from None
    except pa.ArrowException as error:
        problem = f"a column cannot be converted to Arrow ({type(error).__name__})"
        raise TableError(Fault(where, problem, "cast its unusual columns to text first")) from None


@contextmanager
def translate_open_errors(where: str) -> Iterator[None]:
    """Turn errors of opening a database file into a TableError."""
    try:
        yield
    except duckdb.Error as error:
        problem = f"DuckDB cannot open it ({type(error).__name__})"
        other = Fault(where, problem, "open it with DuckDB itself to see why")
        known = (Fault(where, what, fix) for sign, what, fix in _OPEN_FAULTS if sign in str(error))
        raise TableError(next(known, other)) from None


def _fault(where: str, error: duckdb.Error) -> Fault:
    message = str(error)
    if "CSV" in message:
        return _csv_fault(where, message)
    if TOO_FINE in message:
        problem = "a column to be counted has times more precise than a microsecond"
        return Fault(where, problem, "round its times to microseconds")
    if "_lookalike_lookup" in message:
        fix = "pass relation.to_arrow_table(), or SET python_enable_replacements = true"
        return Fault(where, "its connection is not allowed to read Python variables", fix)
    if isinstance(error, duckdb.OutOfMemoryException):
        fix = "give the engine more memory or disk (--memory, --spill), or close other programs"
        return Fault(where, "the engine ran out of memory, or of disk space for spilling", fix)
    problem = f"the engine could not read or write it ({type(error).__name__})"
    return Fault(where, problem, "check that it is intact")


def _csv_fault(where: str, message: str) -> Fault:
    line = re.search(r"CSV Error on Line: (\d+)", message)
    place = f"{where}, line {line[1]}" if line else where
    for sign, problem, fix in _CSV_FAULTS:
        if sign in message:
            widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
            counted = f" ({widths[2]} for {widths[1]})" if widths else ""
            return Fault(place, problem + counted, fix)
    return Fault(place, "it cannot be read as CSV", "write the file again as plain CSV")
