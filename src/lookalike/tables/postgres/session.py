"""Connect to PostgreSQL: one transaction, one state of the database, fixed settings.

The transaction lasts from the first query to the table that is written. Each step in it can fail by
itself: the rest stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg

from lookalike.errors import Fault, TableError
from lookalike.tables.postgres.address import PostgresAddress
from lookalike.tables.postgres.error_messages import (
    ENTERED,
    READ,
    STORED,
    lost_during_commit,
    translate_connection_errors,
    translate_errors,
)
from lookalike.tables.postgres.own_login import check_password_was_used, login_options

Connection = psycopg.Connection[Any]
MIN_VERSION = 14
SETTINGS = (
    "TimeZone = 'UTC'", "DateStyle = 'ISO'", "IntervalStyle = 'postgres'",
    "client_encoding = 'UTF8'", "extra_float_digits = 1", "bytea_output = 'hex'",
    "standard_conforming_strings = on",
    "synchronize_seqscans = off",  # a table is read from its start
    "client_min_messages = error",
)  # fmt: skip


def connect(address: PostgresAddress) -> Connection:
    """A connection whose first transaction has not begun."""
    options: dict[str, Any] = {"application_name": "lookalike", "connect_timeout": 30}
    passwords = ENTERED if address.own_login else STORED
    with translate_connection_errors(address.name, passwords):
        if address.own_login:
            options = login_options(address.database, address.name) | options
        opened = psycopg.connect(address.database, prepare_threshold=None, **options)
    try:
        if address.own_login:
            check_password_was_used(opened, address.name)
        with translate_errors(address.name):
            opened.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            opened.execute("; ".join(f"SET SESSION {setting}" for setting in SETTINGS).encode())
            opened.commit()
        _check_server(opened, address.name)
    except BaseException:
        opened.close()
        raise
    return opened


def _check_server(opened: Connection, where: str) -> None:
    if opened.info.server_version < MIN_VERSION * 10_000:
        problem = f"the server is older than PostgreSQL {MIN_VERSION}"
        raise TableError(Fault(where, problem, "use a newer server"))
    if opened.info.parameter_status("server_encoding") != "UTF8":
        fix = "copy the table into a database with the encoding UTF8"
        raise TableError(Fault(where, "the database's encoding is not UTF8", fix))


def identity(connection: Connection, where: str) -> tuple[Any, ...]:
    """The start of the running server, the oid of its database, and the current user."""
    columns = "pg_postmaster_start_time(), oid, current_user"
    sql = f"SELECT {columns} FROM pg_database WHERE datname = current_database()"
    with translate_errors(where):
        row = connection.execute(sql.encode()).fetchone()
    assert row is not None
    return tuple(row)


def seal(connection: Connection, where: str) -> None:
    """From now on a name without a schema is PostgreSQL's own.

    So no function of another user can get into our queries.
    """
    with translate_errors(where):
        connection.execute(b"SET SESSION search_path = pg_catalog, pg_temp")


@contextmanager
def step(connection: Connection, where: str, right: str = READ) -> Iterator[None]:
    """Undo only this step if it fails: what was computed before stays.

    ``right`` says what to grant to a role that may not do this.
    """
    with translate_errors(where, right):
        connection.execute(b"SAVEPOINT lookalike")
        try:
            yield
        except BaseException:
            with suppress(psycopg.Error):  # the connection may be lost
                connection.execute(b"ROLLBACK TO SAVEPOINT lookalike; RELEASE SAVEPOINT lookalike")
            raise
        connection.execute(b"RELEASE SAVEPOINT lookalike")


@contextmanager
def step_and_undo(connection: Connection, where: str) -> Iterator[None]:
    """A step that only reads; its settings are undone."""
    with step(connection, where):
        yield
        connection.execute(b"ROLLBACK TO SAVEPOINT lookalike")


def commit(connection: Connection, where: str) -> None:
    try:
        connection.commit()
    except psycopg.Error:
        raise TableError(lost_during_commit(where)) from None
