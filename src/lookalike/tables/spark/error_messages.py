"""Spark's errors in our words: its own messages quote queries, cells and machines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import PySparkException

from lookalike.errors import Fault, TableError

_FAULTS = (  # each: part of Spark's message, the problem, the fix
    ("TABLE_OR_VIEW_NOT_FOUND", "there is no such table", "check catalog, schema and name"),
    ("INVALID_SCHEMA_OR_RELATION_NAME", "this catalog does not allow such a name",
     "use letters, digits and underscores"),
    ("SCHEMA_NOT_FOUND", "there is no such schema", "create it, or name another"),
    ("TABLE_OR_VIEW_ALREADY_EXISTS", "the table exists",
     "choose another name, or force it to be replaced"),
    ("heckpoint", "a worker was lost with rows that were to be released",
     "run again; nothing was written"),
    ("ExecutorLost", "workers were lost", "run again; nothing was written"),
    ("Connection refused", "Spark cannot be reached", "check that it runs, and run again"),
    ("UNAVAILABLE", "Spark cannot be reached", "check that it runs, and run again"),
    ("No space left", "a worker's disk is full", "free some space there; nothing was written"),
    ("PARSE_SYNTAX_ERROR", "this is not a valid table name",
     "write it as spark:catalog.schema.table"),
)  # fmt: skip


@contextmanager
def translate_errors(where: str) -> Iterator[None]:
    """Turn errors of Spark into a TableError that says what kind of mistake it is."""
    try:
        yield
    except Exception as error:
        package = type(error).__module__.partition(".")[0]
        if package not in {"py4j", "grpc"} and not isinstance(error, PySparkException | OSError):
            raise
        raise TableError(_fault(where, error)) from None


def _fault(where: str, error: Exception) -> Fault:
    problem = f"Spark could not read or write it ({type(error).__name__})"
    other = Fault(where, problem, "check its log, and run again; nothing was written")
    known = (Fault(where, what, fix) for sign, what, fix in _FAULTS if sign in str(error))
    return next(known, other)
