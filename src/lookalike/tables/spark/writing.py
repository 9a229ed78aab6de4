"""Write a release as a Spark table: under another name, read back, and only then renamed.

The certificate is in the properties ``lookalike.certificate.0``, ``.1`` … of the table, since some
catalogs allow no more than four thousand characters in one.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pyarrow as pa
from pyspark.sql import functions as f

from lookalike.errors import Fault, FileError
from lookalike.tables.spark.address import SparkAddress, quote_name
from lookalike.tables.spark.engine import Frame, Spark
from lookalike.tables.spark.error_messages import translate_errors
from lookalike.tables.spark.session import current_session
from lookalike.tables.spark.source import open_table
from lookalike.tables.spark.table import SparkTable
from lookalike.tables.table import Table
from lookalike.tables.table_address import Check

PROPERTY = "lookalike.certificate."
MAX_PROPERTY_CHARACTERS = 3000


def write_table(
    released: Table, address: SparkAddress, note: str, check: Check, *, force: bool
) -> None:
    """Nobody sees the table before ``check`` has passed; if anything fails, nothing is left."""
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
            ours = isinstance(released, SparkTable)
            frame = released.native() if ours else _send(session, released)
            frame.write.mode("error").format("parquet").saveAsTable(staged)
        check(_as_stored(session, staged, where))
        with translate_errors(where):
            size = MAX_PROPERTY_CHARACTERS
            properties = ", ".join(
                f"'{PROPERTY}{i}' = {_literal(note[at : at + size])}"
                for i, at in enumerate(range(0, len(note), size))
            )
            session.sql(f"ALTER TABLE {staged} SET TBLPROPERTIES ({properties})")
            _put_in_place(session, staged, name, old if exists else None)
    finally:
        with suppress(Exception):  # it has been renamed if all went well
            session.sql(f"DROP TABLE IF EXISTS {staged}")


def find_existing(address: SparkAddress, source: Any) -> tuple[bool, bool]:
    """Is there a table, and is it the ``source``? Starts Spark, which is needed later anyway."""
    name = address.sql
    catalog = current_session().catalog
    with translate_errors(address.name):
        exists = catalog.tableExists(name)
        if not exists or not isinstance(source, SparkAddress):
            return exists, False
        tables = [catalog.getTable(sql) for sql in (name, source.sql)]
    keys = [(table.catalog, table.namespace, table.name.lower()) for table in tables]
    return True, keys[0] == keys[1]


def note_of(table: Table) -> str | None:
    """The certificate in the properties of a table, if any."""
    if not isinstance(table, SparkTable) or table.address is None:
        return None
    with translate_errors(table.name):
        sql = f"SHOW TBLPROPERTIES {table.address.sql}"
        properties = dict(map(tuple, table.engine.session.sql(sql).collect()))
    parts = [name for name in properties if name.startswith(PROPERTY)]
    parts.sort(key=lambda name: int(name[len(PROPERTY) :]))
    return "".join(properties[name] for name in parts) if parts else None


def _as_stored(session: Any, staged: str, where: str) -> Table:
    """The staged table under its final name, its rows in the order of its files."""
    table = open_table(SparkAddress(staged), session)
    with translate_errors(where):
        stored = session.table(staged).select(
            *(f.col(quote_name(name)).alias(f"c{i}") for i, name in enumerate(table.columns)),
            f.col("_metadata.file_name").alias("_file"),
            f.col("_metadata.row_index").alias("_row"),
        )
    relation = Frame(stored, "_file", "_row")
    return replace(table, content=replace(table.content, relation=relation, where=where))


def _put_in_place(session: Any, staged: str, name: str, old: str | None) -> None:
    """Rename the staged table; the old table is dropped last."""
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


def _send(session: Any, released: Table) -> Any:
    """The rows of another engine, in their order, as one frame."""
    return Spark(session).frame(pa.concat_tables(released.batches())).coalesce(1)


def _literal(text: str) -> str:
    """A text in SQL: TBLPROPERTIES takes no parameters."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
