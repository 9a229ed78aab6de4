"""A Spark frame or table: counted, recoded and verified by Spark jobs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lookalike.errors import Fault, TableError
from lookalike.tables import column_names as names
from lookalike.tables.files.batch_spool import write_spooled
from lookalike.tables.spark.engine import Frame, Spark, translate_errors
from lookalike.tables.sql import group_counts as counting
from lookalike.tables.sql.relation import Rows
from lookalike.tables.sql.row_recoding import released
from lookalike.tables.sql.sql_table import SqlTable
from lookalike.tables.table import Edit, Table

_PART = re.compile(r"`((?:[^`]|``)+)`|([^`.]+)")


@dataclass(frozen=True, slots=True, eq=False)
class SparkTable(SqlTable):
    """Rows stay with the workers."""

    kind: str
    content: Rows
    place: str | None = None  # of a table its name
    given: Any = field(default=None, repr=False)  # the caller's frame
    path: None = None  # no file

    @property
    def engine(self) -> Spark:
        engine = self.content.engine
        assert isinstance(engine, Spark)
        return engine

    def also(self, content: Rows, kind: str | None = None) -> SparkTable:
        return SparkTable(kind or self.kind, content)

    def text_rows(self, names: Sequence[str]) -> Any:
        return counting.text_rows(self.content, names)

    def edit(self, edit: Edit) -> Table:
        return SparkTable(self.kind, released(self.content, edit))

    def write(self, path: Path) -> None:
        write_spooled(self.batches(), self.name, path)

    def batches(self) -> Iterator[Any]:
        yield self.engine.fetch(Frame(self.native()), self.name)

    def native(self) -> Any:
        """A Spark frame."""
        if self.given is not None:
            return self.given
        return self.content.relation.data.toDF(*self.columns)


def open_spark_frame(source: Any) -> Table:
    """The caller's frame, in the caller's session."""
    return _opened(source, "spark", Spark(source.sparkSession), source)


def open_spark_table(name: str, session: Any = None) -> Table:
    """A table of the catalog, in the session that is there, or a new one."""
    session = session or current_session()
    quoted = quoted_name(name)
    with translate_errors(name):
        frame = session.table(quoted)
        frame.schema  # noqa: B018 - Connect looks for the table only now
    return _opened(frame, name, Spark(session), None, place=name)


def current_session() -> Any:
    """The active session; else one as SPARK_REMOTE, SPARK_MASTER or the defaults say."""
    from pyspark.sql import SparkSession

    with translate_errors("spark"):
        if (active := SparkSession.getActiveSession()) is not None:
            return active
        builder = SparkSession.builder.appName("lookalike")
        if "SPARK_REMOTE" not in os.environ and (master := os.environ.get("SPARK_MASTER")):
            builder = builder.master(master)
        return builder.getOrCreate()


def quoted_name(name: str) -> str:
    """``catalog.schema.table`` with each part in backticks."""
    found: list[str] = []
    at = 0
    while True:
        part = _PART.match(name, at)
        if part is None:
            fix = "write it as spark:catalog.schema.table"
            raise TableError(Fault("spark", "this does not read as a table's name", fix))
        plain = part[2] if part[1] is None else part[1].replace("``", "`")
        found.append("`" + plain.replace("`", "``") + "`")
        at = part.end()
        if at == len(name):
            return ".".join(found)
        at += 1 if name[at] == "." else len(name)


def _opened(frame: Any, where: str, engine: Spark, given: Any, place: str | None = None) -> Table:
    with translate_errors(where):
        found = names.checked(where, list(frame.columns))
        numbered = frame.toDF(*(f"c{i}" for i in range(len(found))))
    return SparkTable("spark", Rows(engine, Frame(numbered), found, where), place, given)
