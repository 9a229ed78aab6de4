"""Tables that are no files: addresses in PostgreSQL and Spark, to read from and to write to.

A DuckDB database is read from alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from lookalike.errors import Fault, FileError, TableError
from lookalike.tables.duckdb import address as duckdb_address
from lookalike.tables.duckdb.address import DuckDBAddress
from lookalike.tables.postgres import address as postgres_address
from lookalike.tables.spark import address as spark_address
from lookalike.tables.spark.address import SparkAddress
from lookalike.tables.table import Table


def is_elsewhere(text: str) -> bool:
    """Does it name a table in a database, and no file?"""
    engines = (duckdb_address, postgres_address, spark_address)
    return any(engine.is_address(text) for engine in engines)


def open_elsewhere(text: str) -> Table:
    """Of PostgreSQL and Spark; a DuckDB database is a file, and opened as one."""
    if spark_address.is_address(text):
        needs("pyspark", "spark")
        from lookalike.tables.spark.source import open_table as open_spark

        return open_spark(spark_address.parse(text))
    needs("psycopg", "postgres")
    from lookalike.tables.postgres.source import open_table as open_postgres

    return open_postgres(postgres_address.parse(text))


@dataclass(frozen=True, slots=True)
class Target:
    """A table to be written; ``name`` is for messages and holds no password."""

    place: Any
    name: str

    def write(
        self, released: Table, note: str, check: Callable[[Table], None], *, force: bool
    ) -> None:
        """Whole or not at all: what is there is given to ``check`` before anybody can see it.

        ``note`` goes with the table, where ``note_of`` finds it.
        """
        self._refuse_duckdb()
        if isinstance(self.place, SparkAddress):
            from lookalike.tables.spark.writing import write_table as write_spark

            write_spark(released, self.place, note, check, force=force)
        else:
            from lookalike.tables.postgres.writing import write_table as write_postgres

            write_postgres(released, self.place, note, check, force=force)

    def stands(self, given: Target | None) -> tuple[bool, bool]:
        """Is there a table, and is it the one given, or part of it? FileError if what is there, or
        what this role may do there, would keep a table from being written.
        """
        self._refuse_duckdb()
        place = None if given is None else given.place
        if isinstance(self.place, SparkAddress):
            from lookalike.tables.spark.existing_table import find_existing as find_in_spark

            return find_in_spark(self.place, place)
        from lookalike.tables.postgres.existing_table import find_existing as find_in_postgres

        return find_in_postgres(self.place, place)

    def mark(self) -> object:
        """By which it is known whether the table was replaced; None if there is none."""
        self._refuse_duckdb()
        if isinstance(self.place, SparkAddress):
            from lookalike.tables.spark.source import open_table

            return note_of(open_table(self.place)) if self.stands(None)[0] else None
        from lookalike.tables.postgres.existing_table import look_up

        return look_up(self.place).table

    def _refuse_duckdb(self) -> None:
        """One process at a time may write to such a database, and it is no place to share from."""
        if isinstance(self.place, DuckDBAddress):
            fix = (
                "write a .parquet or .csv file; DuckDB reads both: CREATE TABLE … AS FROM "
                "'release.parquet'"
            )
            raise FileError(
                Fault(self.name, "a release is not written into a DuckDB database", fix)
            )


def target(text: str) -> Target:
    """The table that an address names; it need not exist."""
    place: Any
    if duckdb_address.is_address(text):
        place = duckdb_address.parse(text)
    elif spark_address.is_address(text):
        needs("pyspark", "spark")
        place = spark_address.parse(text)
    else:
        needs("psycopg", "postgres")
        place = postgres_address.parse(text)
    return Target(place, place.name)


def note_of(table: Table) -> str | None:
    """What was written with a table, if anything: its certificate."""
    if table.kind == "postgresql":
        from lookalike.tables.postgres.table import PostgresTable
        from lookalike.tables.postgres.writing import note_of as postgres_note

        assert isinstance(table, PostgresTable)
        return postgres_note(table)
    if table.kind == "spark":
        from lookalike.tables.spark.writing import note_of as spark_note

        return spark_note(table)
    return None


def needs(module: str, extra: str) -> None:
    if find_spec(module) is None:
        fix = f'install it: pip install "lookalike[{extra}]"'
        raise TableError(Fault(extra, f"the package {module} is not installed", fix))
