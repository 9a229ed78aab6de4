"""A release as a Spark table: written under another name, read back, and only then renamed.

The certificate is in the properties ``lookalike.certificate.0``, ``.1`` … of the table, since some
catalogs hold no more than four thousand characters in one.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pyspark.sql import functions as f

from lookalike.errors import Fault, FileError
from lookalike.tables.spark.address import SparkAddress, quoted
from lookalike.tables.spark.engine import Frame, Spark
from lookalike.tables.spark.error_messages import translate_errors
from lookalike.tables.spark.session import current_session
from lookalike.tables.spark.source import open_table
from lookalike.tables.spark.table import SparkTable
from lookalike.tables.table import Table

PROPERTY = "lookalike.certificate."
LONG = 3000  # characters of a property


def write_table(
    released: Table,
    address: SparkAddress,
    note: str,
    check: Callable[[Table], None],
    *,
    force: bool,
) -> None:
    """Nobody sees the table before ``check`` has; when anything fails, it never was."""
    here = isinstance(released, SparkTable)
    session = released.engine.session if isinstance(released, SparkTable) else current_session()
    name, where = address.sql, address.name
    with translate_errors(where):
        exists = session.catalog.tableExists(name)
    if exists and not force:
        fix = "choose another name, or force it to be replaced"
        raise FileError(Fault(where, "the table exists", fix))
    staged = f"{name[:-1]}_lookalike_{secrets.token_hex(4)}`"
    old = f"{name[:-1]}_lookalike_{secrets.token_hex(4)}`"
    try:
        with translate_errors(where):
            frame = released.native() if here else _sent(session, released)
            frame.write.mode("error").format("parquet").saveAsTable(staged)
        check(_as_stored(session, staged, where))
        with translate_errors(where):
            listed = ", ".join(
                f"'{PROPERTY}{i}' = {_literal(note[at : at + LONG])}"
                for i, at in enumerate(range(0, len(note), LONG))
            )
            session.sql(f"ALTER TABLE {staged} SET TBLPROPERTIES ({listed})")
            _put_in_place(session, staged, name, old if exists else None)
    finally:
        with suppress(Exception):  # it is gone when all went well
            session.sql(f"DROP TABLE IF EXISTS {staged}")


def note_of(table: Table) -> str | None:
    """What the properties of a table say, if anything."""
    if not isinstance(table, SparkTable) or table.address is None:
        return None
    with translate_errors(table.name):
        sql = f"SHOW TBLPROPERTIES {table.address.sql}"
        found = dict(map(tuple, table.engine.session.sql(sql).collect()))
    parts = [name for name in found if name.startswith(PROPERTY)]
    parts.sort(key=lambda name: int(name[len(PROPERTY) :]))
    return "".join(found[name] for name in parts) if parts else None


def _as_stored(session: Any, staged: str, where: str) -> Table:
    """The staged table, called as it will be; its rows in the order of its files."""
    table = open_table(SparkAddress(staged), session)
    with translate_errors(where):
        stored = session.table(staged).select(
            *(f.col(quoted(name)).alias(f"c{i}") for i, name in enumerate(table.columns)),
            f.col("_metadata.file_name").alias("_file"),
            f.col("_metadata.row_index").alias("_row"),
        )
    relation = Frame(stored, "_file", "_row")
    return replace(table, content=replace(table.content, relation=relation, where=where))


def _put_in_place(session: Any, staged: str, name: str, old: str | None) -> None:
    """Renamed; were there a table of the name, it goes last."""
    if old is None:
        session.sql(f"ALTER TABLE {staged} RENAME TO {name}")
        return
    session.sql(f"ALTER TABLE {name} RENAME TO {old}")
    try:
        session.sql(f"ALTER TABLE {staged} RENAME TO {name}")
    except BaseException:
        session.sql(f"ALTER TABLE {old} RENAME TO {name}")
        raise
    session.sql(f"DROP TABLE {old}")


def _sent(session: Any, released: Table) -> Any:
    """Rows from elsewhere, in their order, as one frame."""
    import pyarrow as pa

    whole = pa.concat_tables(released.batches())
    return Spark(session).frame(whole).coalesce(1)


def _literal(text: str) -> str:
    """As text in SQL: TBLPROPERTIES takes no parameters."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
