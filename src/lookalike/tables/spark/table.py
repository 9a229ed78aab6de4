"""A Spark frame or table: counted, recoded and verified by Spark jobs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lookalike.tables.spark.address import SparkAddress
from lookalike.tables.spark.engine import Frame
from lookalike.tables.sql.relation import Rows
from lookalike.tables.sql.sql_table import SqlTable


@dataclass(frozen=True, slots=True, eq=False)
class SparkTable(SqlTable):
    """Rows stay with the Spark workers."""

    kind: str
    content: Rows
    address: SparkAddress | None = None  # None: the caller's frame, or a result
    original: Any = field(default=None, repr=False)  # the caller's frame
    path: None = None  # not a file

    def with_content(self, content: Rows, kind: str | None = None) -> SparkTable:
        return SparkTable(kind or self.kind, content)

    def batches(self) -> Iterator[Any]:
        yield self.engine.fetch(Frame(self.native()), self.name)

    def native(self) -> Any:
        """A Spark frame."""
        if self.original is not None:
            return self.original
        return self.content.relation.data.toDF(*self.columns)
