"""A connection as lookalike wants it: one transaction, one state of the database, one way to read.

A transaction that sees the database as it is now lasts from the first question to the table that is
written. Each step in it can fail by itself: the rest stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg

from lookalike.errors import Fault, TableError
from lookalike.tables.postgres.address import PostgresAddress
from lookalike.tables.postgres.error_messages import (
    READ,
    said_of_commit,
    said_of_connecting,
    translate_errors,
)

Connection = psycopg.Connection[Any]
OLDEST = 14
SETTINGS = (
    "TimeZone = 'UTC'", "DateStyle = 'ISO'", "IntervalStyle = 'postgres'",
    "client_encoding = 'UTF8'", "extra_float_digits = 1", "bytea_output = 'hex'",
    "standard_conforming_strings = on",
    "synchronize_seqscans = off",  # a heap is read from its start
    "client_min_messages = error",
)  # fmt: skip


def connect(place: PostgresAddress) -> Connection:
    """A connection whose first transaction has not begun."""
    with said_of_connecting(place.name):
        opened = psycopg.connect(
            place.address, application_name="lookalike", connect_timeout=30, prepare_threshold=None
        )
    try:
        with translate_errors(place.name):
            opened.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            opened.execute("; ".join(f"SET SESSION {one}" for one in SETTINGS).encode())
            opened.commit()
        _check_server(opened, place.name)
    except BaseException:
        opened.close()
        raise
    return opened


def _check_server(opened: Connection, where: str) -> None:
    if opened.info.server_version < OLDEST * 10_000:
        problem = f"the server is older than PostgreSQL {OLDEST}"
        raise TableError(Fault(where, problem, "read the table on a newer one"))
    if opened.info.parameter_status("server_encoding") != "UTF8":
        fix = "copy the table into a database with the encoding UTF8"
        raise TableError(Fault(where, "the database's encoding is not UTF8", fix))


def identity(connection: Connection, where: str) -> tuple[Any, ...]:
    """The running server and its database, however the address spells them."""
    sql = (
        "SELECT pg_postmaster_start_time(), oid FROM pg_database WHERE datname = current_database()"
    )
    with translate_errors(where):
        found = connection.execute(sql.encode()).fetchone()
    return tuple(found or ())


def role(connection: Connection, where: str) -> str:
    """Who acts here."""
    with translate_errors(where):
        [found] = connection.execute(b"SELECT current_user").fetchone() or [""]
    return str(found)


def seal(connection: Connection, where: str) -> None:
    """From now on a name without schema is PostgreSQL's own: no function of somebody else's can
    slip into our queries.
    """
    with translate_errors(where):
        connection.execute(b"SET SESSION search_path = pg_catalog, pg_temp")


@contextmanager
def step(connection: Connection, where: str, right: str = READ) -> Iterator[None]:
    """What fails is undone, and what was before it stays: the state that is seen, all that is held.

    ``right`` is what to grant to whom may not do this.
    """
    with translate_errors(where, right):
        connection.execute(b"SAVEPOINT lookalike")
        try:
            yield
        except BaseException:
            with suppress(psycopg.Error):  # the connection may be gone, and all with it
                connection.execute(b"ROLLBACK TO SAVEPOINT lookalike; RELEASE SAVEPOINT lookalike")
            raise
        connection.execute(b"RELEASE SAVEPOINT lookalike")


@contextmanager
def undone(connection: Connection, where: str) -> Iterator[None]:
    """A step that only reads, and whose settings end with it."""
    with step(connection, where):
        yield
        connection.execute(b"ROLLBACK TO SAVEPOINT lookalike")


def commit(connection: Connection, where: str) -> None:
    try:
        connection.commit()
    except psycopg.Error:
        raise TableError(said_of_commit(where)) from None
