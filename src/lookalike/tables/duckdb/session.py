"""Connections to in-memory DuckDB databases, which load nothing from the network."""

from __future__ import annotations

import threading
from typing import Any

import duckdb

from lookalike.tables.resource_limits import LIMITS, memory_limit

Connection = duckdb.DuckDBPyConnection
Relation = duckdb.DuckDBPyRelation
_of_this_thread = threading.local()


def connection(spill: str = "", share: int = 1, threads: int | None = None) -> Connection:
    """A new connection that writes what does not fit in memory to the folder ``spill``.

    With ``share=3`` it may use a third of the memory that is allowed.
    """
    config: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "temp_directory": spill,  # the default is the program's working directory
    }
    if threads is not None:
        config["threads"] = threads
    if LIMITS.memory is not None or share > 1:
        config["memory_limit"] = f"{memory_limit() // share // 1_000_000}MB"
    opened = duckdb.connect(":memory:", config=config)
    opened.execute("SET TimeZone = 'UTC'")
    opened.execute("SET enable_progress_bar = true")  # for query_progress; it is not printed
    opened.execute("SET enable_progress_bar_print = false")
    return opened


def shared_connection() -> Connection:
    """The connection of this thread, for small queries: opening a new one is slow."""
    if not hasattr(_of_this_thread, "connection"):
        _of_this_thread.connection = connection()
    found: Connection = _of_this_thread.connection
    return found
