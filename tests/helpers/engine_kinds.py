"""One table in every kind of engine, and how a release reads as text, whatever it came out as."""

from __future__ import annotations

import atexit
import math
import uuid
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from effort import without
from postgres_server import Server, binaries, server

FRAMES = ("pyarrow", "pandas", "polars", "polars-lazy", "duckdb")
FILES_AND_FRAMES = ("csv", "parquet", "duckdb-file", *FRAMES)
POSTGRES = pytest.param(
    "postgresql",
    marks=[
        without("PostgreSQL is not installed: apt-get install postgresql", binaries() is None),
        pytest.mark.xdist_group("postgres"),
    ],
)
KINDS = (*FILES_AND_FRAMES, POSTGRES)
TYPED = tuple(kind for kind in KINDS if kind != "csv")

Texts = list[tuple[str | None, ...]]


def make(table: pa.Table, kind: str, folder: Path) -> Any:
    """The table as a source of the kind."""
    if kind == "csv":
        return as_csv(table, folder / "table.csv")
    if kind == "parquet":
        pq.write_table(table, folder / "table.parquet")
        return folder / "table.parquet"
    if kind == "pandas":
        return table.to_pandas(integer_object_nulls=True)  # else ints with nulls turn to floats
    if kind == "polars":
        return pl.from_arrow(table)
    if kind == "polars-lazy":
        return pl.from_arrow(table).lazy()
    if kind == "postgresql":
        return as_postgres(table)
    if kind == "duckdb-file":
        return as_database(table, folder / f"{uuid.uuid4().hex}.duckdb")
    if kind == "duckdb":
        return duckdb.connect().from_arrow(table)
    return table


def as_csv(table: pa.Table, path: Path) -> Path:
    """By Arrow's own writer, so that nothing of ours is on both sides."""
    options = pa.csv.WriteOptions(quoting_style="needed")
    pa.csv.write_csv(table, path, options)
    return path


def as_database(table: pa.Table, path: Path) -> str:
    """A new file; its tables are all in one schema of a name that SQL does not like."""
    with duckdb.connect(str(path)) as opened:
        opened.execute('CREATE SCHEMA "the clinic"')
        opened.register("given", table)
        opened.execute('CREATE TABLE "the clinic"."select" AS FROM given')
    return f"duckdb:{quote(str(path))}?table=the%20clinic.select"


STORED_AS = {
    pa.int64(): "bigint",
    pa.date32(): "date",
    pa.bool_(): "boolean",
    pa.float64(): "double precision",
    pa.timestamp("us"): "timestamp",
    pa.timestamp("us", "UTC"): "timestamptz",
}


@cache
def postgres_server() -> Server:
    """Started when first asked for, stopped when Python ends."""
    running = server()
    atexit.register(running.__exit__, None, None, None)
    return running.__enter__()


def as_postgres(table: pa.Table) -> str:
    """By the driver, row by row, so that nothing of ours is on both sides."""
    import psycopg
    from psycopg import sql

    name = f"People {uuid.uuid4().hex}"
    kinds = [
        f"numeric({kind.precision}, {kind.scale})"
        if pa.types.is_decimal(kind)
        else STORED_AS.get(kind, "text")
        for kind in table.schema.types
    ]
    columns = [
        sql.SQL("{} " + kind).format(sql.Identifier(column))
        for column, kind in zip(table.column_names, kinds, strict=True)
    ]
    holes = sql.SQL(", ").join([sql.Placeholder()] * table.num_columns)
    rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    with psycopg.connect(postgres_server().address()) as opened, opened.cursor() as cursor:
        at = sql.Identifier(name)
        cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(at, sql.SQL(", ").join(columns)))
        cursor.executemany(sql.SQL("INSERT INTO {} VALUES ({})").format(at, holes), rows)
    return postgres_server().address(quote(f'public."{name}"'))


def is_kind(native: Any, kind: str) -> bool:
    """Did it come out as the kind that went in? Files come out as Arrow tables."""
    expected = {
        "pandas": pd.DataFrame,
        "polars": pl.DataFrame,
        "polars-lazy": pl.LazyFrame,
        "duckdb": duckdb.DuckDBPyRelation,
    }
    return type(native) is expected.get(kind, pa.Table)


def read(native: Any) -> tuple[list[str], Texts]:
    """Names, and rows in their order, each cell as text; NaN is null."""
    if isinstance(native, pl.LazyFrame):
        native = native.collect()
    if isinstance(native, pd.DataFrame):
        names, rows = list(native.columns), native.astype(object).itertuples(index=False, name=None)
    elif isinstance(native, pl.DataFrame):
        names, rows = native.columns, native.iter_rows()
    else:
        table = native if isinstance(native, pa.Table) else native.to_arrow_table()
        columns = [column.to_pylist() for column in table.columns]
        names, rows = table.column_names, zip(*columns, strict=True)
    return names, [tuple(map(cell, row)) for row in rows]


def cell(value: Any) -> str | None:
    if value is None or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    return str(value)
