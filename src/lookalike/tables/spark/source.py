"""Open a Spark frame of the caller's, or a table of the catalog."""

from __future__ import annotations

from typing import Any

from lookalike.tables import column_names as names
from lookalike.tables.spark.address import SparkAddress
from lookalike.tables.spark.engine import Frame, Spark
from lookalike.tables.spark.error_messages import translate_errors
from lookalike.tables.spark.session import current_session
from lookalike.tables.spark.table import SparkTable
from lookalike.tables.sql.relation import Rows


def open_frame(frame: Any) -> SparkTable:
    """Open the caller's frame in the caller's session."""
    rows = _rows(Spark(frame.sparkSession), frame, "spark")
    return SparkTable("spark", rows, original=frame)


def open_table(address: SparkAddress, session: Any = None) -> SparkTable:
    """Open a table of the catalog, in this session or the current one."""
    session = session or current_session()
    name = address.sql
    with translate_errors(address.name):
        frame = session.table(name)
        frame.schema  # noqa: B018 - Connect looks for the table only now
    return SparkTable("spark", _rows(Spark(session), frame, address.name), address)


def _rows(engine: Spark, frame: Any, where: str) -> Rows:
    with translate_errors(where):
        columns = names.check_names(where, list(frame.columns))
        numbered = frame.toDF(*(f"c{i}" for i in range(len(columns))))
    return Rows(engine, Frame(numbered), columns, where)
