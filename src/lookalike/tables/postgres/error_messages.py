"""What the server says, in our words: its own messages quote cells, queries, hosts and users."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from lookalike.errors import Fault, TableError

NOTHING_WRITTEN = "nothing was written"
READ = "grant it USAGE on the schema and SELECT on the table"
TEMPORARY = "grant it TEMPORARY on the database: what is counted is held in temporary tables"
CREATE = "grant it USAGE and CREATE on the schema, or choose another schema"
REPLACE = "only its owner can replace a table: choose another name, or run as its owner"
_TEMP_FIX = "name the primary, or let this role write temporary tables; no other table is changed"
_AGAIN = f"and run again; {NOTHING_WRITTEN}"

Known = tuple[tuple[type[psycopg.Error], str, str], ...]
_KNOWN: Known = (
    (errors.UndefinedTable, "there is no such table",
     "check schema and name; they are read exactly as they are spelt, capitals included"),
    (errors.InvalidSchemaName, "there is no such schema", "make it, or name another"),
    (errors.DuplicateTable, "the table exists", "choose another name, or force it to be replaced"),
    (errors.UniqueViolation, "somebody else made the table just now",
     "choose another name, or force it to be replaced"),
    (errors.DuplicateColumn, "a column's name is there twice, or is one that PostgreSQL keeps for "
     "itself (ctid, xmin, tableoid …)", "rename the column"),
    (errors.DiskFull, "the server's disk is full", f"make room there, {_AGAIN}"),
    (errors.OutOfMemory, "the server has too little memory", f"give it more, {_AGAIN}"),
    (errors.ConfigurationLimitExceeded, "the server has a limit that this run meets",
     f"raise temp_file_limit for this role, {_AGAIN}"),
    (errors.TooManyConnections, "the server has no connection left",
     f"wait until others are done, {_AGAIN}"),
    (errors.LockNotAvailable, "others are using the table and do not let go of it",
     f"wait until they are done, {_AGAIN}"),
    (errors.DeadlockDetected, "others are using the table, and wait for us in turn",
     f"wait until they are done, {_AGAIN}"),
    (errors.QueryCanceled, "the server stopped the query (a time limit, or a person)",
     f"raise statement_timeout for this role, {_AGAIN}"),
    (errors.IdleInTransactionSessionTimeout, "the server ended the connection: it was idle for too "
     "long while the search ran", f"raise idle_in_transaction_session_timeout for this role, "
     f"{_AGAIN}"),
    (errors.DependentObjectsStillExist, "other objects, as views, use the table",
     "choose another name, or drop them first"),
    (errors.ReadOnlySqlTransaction, "the server, or this role, may only read (a standby, or "
     "default_transaction_read_only)", _TEMP_FIX),
    (errors.CharacterNotInRepertoire, "a text holds a character that the database cannot, as NUL",
     "take it out"),
    (errors.UntranslatableCharacter, "a text holds a character that the database cannot",
     "take it out"),
    (errors.TooManyColumns, "it has too many columns", "leave out what need not be released"),
    (psycopg.DataError, "a cell does not fit the type that it should have",
     "change it, or release the column as text"),
)  # fmt: skip
_REFUSED: tuple[tuple[tuple[str, ...], str, str], ...] = (  # no code comes with these, only words
    (("password", "authentication", "role "), "the server refuses this user or password",
     "check the user, and PGPASSWORD or ~/.pgpass"),
    (("pg_hba", "permission denied for database"), "the server does not let this user in from here",
     "ask who runs it to let you in: pg_hba.conf, and CONNECT on the database"),
    (("database  does not exist",), "there is no such database", "check its name"),
    (("too many", "remaining connection"), "the server has no connection left",
     "wait until others are done, and run again"),
)  # fmt: skip


@contextmanager
def translate_errors(where: str, right: str = READ) -> Iterator[None]:
    """Errors of the driver as ours; ``right`` is what to grant to whom may not do this."""
    try:
        yield
    except psycopg.Error as error:
        raise TableError(_fault(where, error, right)) from None


@contextmanager
def said_of_connecting(where: str) -> Iterator[None]:
    """When a connection cannot be made, there are words of the server or of the driver."""
    try:
        yield
    except psycopg.ProgrammingError:
        fix = "write it as postgresql://user@host:port/database?table=schema.name"
        raise TableError(Fault(where, "the driver does not understand the address", fix)) from None
    except psycopg.OperationalError as error:
        raise TableError(_not_let_in(where, str(error))) from None
    except psycopg.Error as error:
        raise TableError(_fault(where, error, READ)) from None


@contextmanager
def said_of_a_query(where: str) -> Iterator[None]:
    """A query is the caller's own, and most that goes wrong with it is in how it is written."""
    try:
        yield
    except (errors.InsufficientPrivilege, errors.DuplicateColumn, errors.UndefinedTable):
        raise  # said well enough by the others
    except (psycopg.ProgrammingError, psycopg.NotSupportedError) as error:
        problem = f"the server does not accept the query ({type(error).__name__})"
        fix = "let it be one SELECT, and try it in psql first"
        raise TableError(Fault(where, problem, fix)) from None


def _not_let_in(where: str, message: str) -> Fault:
    """By the server's own words, without the names in them, which may be anything."""
    said = re.sub(r'"[^"]*"', "", message.partition("FATAL:")[2] or message)
    for words, problem, fix in _REFUSED:
        if any(word in said for word in words):
            return Fault(where, problem, fix)
    return _lost(where)


def said_of_commit(where: str) -> Fault:
    """Nobody knows whether the server heard the last word."""
    problem = "the connection was lost while the table was put in place: it is whole, or not there"
    return Fault(where, problem, "look whether it is there: lookalike verify; if not, run again")


def _fault(where: str, error: psycopg.Error, right: str) -> Fault:
    if isinstance(error, errors.InsufficientPrivilege):
        return Fault(where, "this role may not do that", right)
    for kind, problem, fix in _KNOWN:
        if isinstance(error, kind):
            return Fault(where, problem, fix)
    if isinstance(error, psycopg.OperationalError):
        return _lost(where)
    problem = f"the server could not read or write it ({type(error).__name__})"
    return Fault(where, problem, f"look into the server's log; {NOTHING_WRITTEN}")


def _lost(where: str) -> Fault:
    problem = "the server cannot be reached, or the connection to it was lost"
    return Fault(where, problem, f"check that it runs, {_AGAIN}")
