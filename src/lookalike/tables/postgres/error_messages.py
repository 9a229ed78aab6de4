"""PostgreSQL's errors in our words: its own messages quote cells, queries, hosts and users."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from lookalike.errors import Fault, TableError

NO_TABLE = "there is no such table"
NO_TABLE_FIX = "check schema and name; upper and lower case matter"
EXISTS = "the table exists"
EXISTS_FIX = "choose another name, or force it to be replaced"
NO_PASSWORD_ASKED = "the server lets this user in without asking for the password"
NO_PASSWORD_ASKED_FIX = "use a user and a host for which it asks (pg_hba.conf: scram-sha-256)"
STORED = "PGPASSWORD or ~/.pgpass"
ENTERED = "the password in the address"
NOTHING_WRITTEN = "nothing was written"
# what to grant to a role that may not do something
READ = "grant it USAGE on the schema and SELECT on the table"
TEMPORARY = "grant it TEMPORARY on the database: counting needs temporary tables"
CREATE = "grant it USAGE and CREATE on the schema, or choose another schema"
REPLACE = "only its owner can replace a table: choose another name, or run as its owner"
_AGAIN = f"and run again; {NOTHING_WRITTEN}"
_NO_CONNECTION = "the server has no connection left"
_WAIT = f"wait until others are done, {_AGAIN}"

_FAULTS: tuple[tuple[type[psycopg.Error], str, str], ...] = (
    (errors.UndefinedTable, NO_TABLE, NO_TABLE_FIX),
    (errors.InvalidSchemaName, "there is no such schema", "create it, or name another"),
    (errors.DuplicateTable, EXISTS, EXISTS_FIX),
    (errors.UniqueViolation, "somebody else has just created the table", EXISTS_FIX),
    (errors.DuplicateColumn, "two columns have the same name, or a column has a name that "
     "PostgreSQL reserves (ctid, xmin, tableoid …)", "rename the column"),
    (errors.DiskFull, "the server's disk is full", f"free some space there, {_AGAIN}"),
    (errors.OutOfMemory, "the server has too little memory", f"give it more, {_AGAIN}"),
    (errors.ConfigurationLimitExceeded, "the run exceeds a limit of the server",
     f"raise temp_file_limit for this role, {_AGAIN}"),
    (errors.TooManyConnections, _NO_CONNECTION, _WAIT),
    (errors.LockNotAvailable, "others are using the table", _WAIT),
    (errors.DeadlockDetected, "others are using the table, and are waiting for us", _WAIT),
    (errors.QueryCanceled, "the server stopped the query (a time limit, or a person)",
     f"raise statement_timeout for this role, {_AGAIN}"),
    (errors.IdleInTransactionSessionTimeout, "the server closed the connection: it was idle for "
     "too long during the search", f"raise idle_in_transaction_session_timeout for this role, "
     f"{_AGAIN}"),
    (errors.DependentObjectsStillExist, "other objects, such as views, use the table",
     "choose another name, or drop them first"),
    (errors.ReadOnlySqlTransaction, "the server or this role is read-only (a standby, or "
     "default_transaction_read_only)",
     "name the primary, or let this role write temporary tables; no other table is changed"),
    (errors.CharacterNotInRepertoire, "a text has a character that the database does not allow, "
     "such as NUL", "remove it"),
    (errors.UntranslatableCharacter, "a text has a character that the database does not allow",
     "remove it"),
    (errors.TooManyColumns, "it has too many columns", "leave out columns that are not needed"),
    (psycopg.DataError, "a cell does not fit its type", "change it, or release the column as text"),
)  # fmt: skip
_CONNECTION_FAULTS: tuple[tuple[tuple[str, ...], str, str], ...] = (  # these have no error code
    (("method requirement",), NO_PASSWORD_ASKED, NO_PASSWORD_ASKED_FIX),
    (("password", "authentication", "role "), "the server refuses this user or password",
     "check the user, and {passwords}"),
    (("pg_hba", "permission denied for database"),
     "the server does not let this user connect from here",
     "ask its administrator for access: pg_hba.conf, and CONNECT on the database"),
    (("database  does not exist",), "there is no such database", "check its name"),
    (("too many", "remaining connection"), _NO_CONNECTION,
     "wait until others are done, and run again"),
)  # fmt: skip


@contextmanager
def translate_errors(where: str, right: str = READ) -> Iterator[None]:
    """Turn errors of the driver into a TableError.

    ``right`` says what to grant to a role that may not do this.
    """
    try:
        yield
    except psycopg.Error as error:
        raise TableError(_fault(where, error, right)) from None


@contextmanager
def translate_connection_errors(where: str, passwords: str = STORED) -> Iterator[None]:
    """Turn errors of connecting into a TableError; ``passwords`` says where they come from."""
    try:
        yield
    except psycopg.ProgrammingError:
        fix = "write it as postgresql://user@host:port/database?table=schema.name"
        raise TableError(Fault(where, "the driver does not understand the address", fix)) from None
    except psycopg.OperationalError as error:
        raise TableError(_connection_fault(where, str(error), passwords)) from None
    except psycopg.Error as error:
        raise TableError(_fault(where, error, READ)) from None


@contextmanager
def translate_query_errors(where: str) -> Iterator[None]:
    """Turn errors in the caller's own query into a TableError about the query."""
    try:
        yield
    except (errors.InsufficientPrivilege, errors.DuplicateColumn, errors.UndefinedTable):
        raise  # the general messages fit
    except (psycopg.ProgrammingError, psycopg.NotSupportedError) as error:
        problem = f"the server does not accept the query ({type(error).__name__})"
        fix = "write a single SELECT, and try it in psql first"
        raise TableError(Fault(where, problem, fix)) from None


def lost_during_commit(where: str) -> Fault:
    """It is not known whether the server has committed."""
    problem = "the connection was lost while the table was put in place: it is complete or missing"
    return Fault(where, problem, "check whether it is there: lookalike verify; if not, run again")


def _connection_fault(where: str, message: str, passwords: str) -> Fault:
    """By the server's own words, without the names in them, which may be anything."""
    message = re.sub(r'"[^"]*"', "", message.partition("FATAL:")[2] or message)
    for words, problem, fix in _CONNECTION_FAULTS:
        if any(word in message for word in words):
            return Fault(where, problem, fix.format(passwords=passwords))
    return _lost(where)


def _fault(where: str, error: psycopg.Error, right: str) -> Fault:
    if isinstance(error, errors.InsufficientPrivilege):
        return Fault(where, "this role does not have the permission", right)
    for kind, problem, fix in _FAULTS:
        if isinstance(error, kind):
            return Fault(where, problem, fix)
    if isinstance(error, psycopg.OperationalError):
        return _lost(where)
    problem = f"the server could not read or write it ({type(error).__name__})"
    return Fault(where, problem, f"look into the server's log; {NOTHING_WRITTEN}")


def _lost(where: str) -> Fault:
    problem = "the server cannot be reached, or the connection to it was lost"
    return Fault(where, problem, f"check that it is running, {_AGAIN}")
