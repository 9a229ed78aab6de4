"""The address of a table in Spark: ``spark:catalog.schema.table``."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass

from lookalike.errors import Fault, TableError
from lookalike.tables.column_names import split_name
from lookalike.tables.table import Table
from lookalike.tables.table_address import Check, TableAddress


@dataclass(frozen=True, slots=True)
class SparkAddress(TableAddress):
    """A table of the catalog."""

    name: str = ""  # as it was typed

    scheme = "spark"
    example = "spark:catalog.table"
    package = "pyspark"
    extra = "spark"
    has_password = False

    @property
    def sql(self) -> str:
        """The table's name in SQL: each part in backticks. TableError if it is not a name."""
        parts = split_name(self.name, "`", max_parts=99)
        if parts is None:
            fix = "write it as spark:catalog.schema.table"
            raise TableError(Fault("spark", "this is not a valid table name", fix))
        return ".".join(map(quote_name, parts))

    @classmethod
    def parse(cls, text: str) -> SparkAddress:
        return SparkAddress(text.partition(":")[2])

    def open(self) -> Table:
        from lookalike.tables.spark.source import open_table  # late: loads pyspark

        return open_table(self)

    def write(self, released: Table, note: str, check: Check, *, force: bool) -> None:
        from lookalike.tables.spark import writing

        writing.write_table(released, self, note, check, force=force)

    def find_existing(self, source: TableAddress | None) -> tuple[bool, bool]:
        from lookalike.tables.spark import writing

        return writing.find_existing(self, source)

    def mark(self) -> object:
        return self.note(self.open()) if self.find_existing(None)[0] else None

    def note(self, table: Table) -> str | None:
        from lookalike.tables.spark import writing

        return writing.note_of(table)

    @classmethod
    def check_computer(cls) -> None:
        if "SPARK_REMOTE" in os.environ or "JAVA_HOME" in os.environ or shutil.which("java"):
            return
        fix = "install Java 17 or later, or name a Spark server in SPARK_REMOTE"
        raise TableError(Fault("spark", "Spark needs Java, which is not installed", fix))


def quote_name(name: str) -> str:
    """A name as an identifier of Spark SQL."""
    return "`" + name.replace("`", "``") + "`"
