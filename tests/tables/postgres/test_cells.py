"""Cells of every PostgreSQL type have the same text as in DuckDB."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from postgres_tables import NEEDS_POSTGRES, at, sql

import lookalike as la
from lookalike.tables import open_table
from lookalike.tables.postgres import cells

pytestmark = NEEDS_POSTGRES


TYPES = {  # SQL type: cells, and how they read as text
    "mood": ("'sad'", "'happy'", "NULL"),
    "mood[]": ("'{sad}'", "'{happy,sad}'", "NULL"),
    "positive": ("1", "20", "3"),
    "code": ("'a'", "'b '", "NULL"),
    "citext": ("'a'", "'A'", "NULL"),
    "char(4)": ("'a'", "'b  '", "''", "NULL"),
    "varchar(7)": ("'a'", "'a '", "''", "NULL"),
    '"char"': ("'a'", "'b'", "NULL"),
    "uuid": ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "NULL"),
    "numeric": ("1.5", "1.50", "10", "9", "'NaN'", "'Infinity'", "-1e20", "NULL"),
    "numeric(50, 3)": ("1.5", "10", "9", "NULL"),
    "numeric(9, 2)": ("1.5", "10", "9", "'NaN'"),
    "smallint": ("10", "9", "-1", "NULL"),
    "real": (
        "0.1",
        "1234567",
        "1e15",
        "123456.7",
        "-0.0",
        "0",
        "'NaN'",
        "NULL",
        "1e-5",
        "16777216",
    ),
    "double precision": ("1234567890123456", "'-Infinity'", "'Infinity'", "1e16", "1e300", "0.1"),
    "timestamptz": ("'2024-03-31 01:30:00+01'", "'2024-03-31 02:30:00+02'", "NULL"),
    "timestamptz(3)": ("'2024-03-31 01:30:00.125+01'", "NULL"),
    "timestamp(0)": ("'2024-03-31 01:30:00'", "NULL"),
    "time": ("'12:30:00.5'", "'00:00'", "NULL"),
    "date": ("'2024-02-29'", "'0001-01-01'", "'9999-12-31'", "NULL"),
    "text": ("'1'", "'01'", "'1.0'", "'1e0'", "''", "'NULL'", "NULL", "E'\\r\\n'", "'\\N'"),
    "int[]": ("'{1,2}'", "'{}'", "NULL"),
    "json": ("'{\"a\": 1}'", "'[]'", "NULL"),
    "jsonb": ("'{\"a\": 1}'", "'[]'", "NULL"),
    "interval": ("'1 day 2 hours'", "'-1 month'", "NULL"),
    "bytea": ("'\\x00ff'", "NULL"),
    "inet": ("'10.0.0.1'", "NULL"),
    "bit(3)": ("'101'", "NULL"),
    "int4range": ("'[1,5)'", "NULL"),
    "point": ("'(1,2)'", "NULL"),
    "oid": ("7", "NULL"),
    "boolean": ("true", "false", "NULL"),
}


def test_every_type_is_released_and_verified_as_kept_and_as_quasi_identifier(
    schema: str, tmp_path: Path
) -> None:
    sql(f"CREATE EXTENSION citext SCHEMA {schema}",
        f"CREATE TYPE {schema}.mood AS ENUM ('sad', 'happy', 'nobody')",
        f"CREATE DOMAIN {schema}.positive AS int CHECK (VALUE IN (1, 3, 20, 77))",
        f"CREATE DOMAIN {schema}.short AS varchar(3)",
        f"CREATE DOMAIN {schema}.code AS {schema}.short CHECK (VALUE <> 'secret')")  # fmt: skip
    kinds = list(TYPES)
    own = ("mood", "mood[]", "positive", "code", "citext")
    columns = ", ".join(
        f"v{i} {f'{schema}.' if kind in own else ''}{kind}" for i, kind in enumerate(kinds)
    )
    rows = ", ".join(
        "(" + ", ".join(TYPES[kind][row % len(TYPES[kind])] for kind in kinds) + f", {row % 2})"
        for row in range(40)
    )
    sql(f"CREATE TABLE {schema}.typed ({columns}, g int)",
        f"INSERT INTO {schema}.typed VALUES {rows}")  # fmt: skip
    table = at(f"{schema}.typed", options="-c TimeZone=Asia/Tokyo -c DateStyle=German")
    names = [f"v{i}" for i in range(len(kinds))]
    kept = la.Policy(
        quasi_identifiers={"g": la.flat()}, insensitive=names, require=la.KAnonymity(20),
        accept=dict.fromkeys(names, "invented cells"),
    )  # fmt: skip
    release = la.anonymize(table, kept)
    release.write(at(f"{schema}.out"))
    assert la.verify(at(f"{schema}.out", options="-c TimeZone=Asia/Tokyo")).passed
    for end in ("csv", "parquet"):
        assert la.verify(release.write(tmp_path / f"kept.{end}")).passed
    assert release.table.schema.field(f"v{kinds.index('timestamptz')}").type == pa.timestamp(
        "us", "UTC"
    )
    made = sql("SELECT DISTINCT t.typtype::text FROM pg_attribute a JOIN pg_type t "
               f"ON t.oid = atttypid WHERE attrelid = '{schema}.out'::regclass")  # fmt: skip
    assert not {("e",), ("d",)} & {*made}  # no list of values goes with the release
    for name, kind in zip(names, kinds, strict=True):
        each = la.Policy(
            quasi_identifiers={name: la.flat()},
            identifiers=[n for n in names if n != name], insensitive="g",
            suppress=0.9, levels={name: (0, 0)}, require=la.KAnonymity(2),
        )  # fmt: skip
        release = la.anonymize(table, each)
        assert release.certificate.content["rows"]["released"] == 40, kind
    number = f"v{kinds.index('numeric')}"
    assert len(open_table(table).count_groups([number]).counts) == 6  # 1.5 is 1.50, and NaN is null


def test_floats_have_the_text_of_duckdb() -> None:
    small = [
        1e15,
        1e16,
        123456.789,
        0.0001,
        0.00001,
        1e22,
        *(10.0**n * 1.2345 for n in range(-8, 20)),
    ]
    large = [
        1234567890123456.0,
        -9007199254740993.0,
        *(10.0**n * 1.2345678901234567 for n in range(20)),
    ]
    for name, kind, floats in (("float4", "FLOAT", small), ("float8", "DOUBLE", small + large)):
        shown = cells.text("x", name)
        here = sql(f"SELECT {shown} FROM unnest(ARRAY{floats!r}::{name}[]) WITH ORDINALITY u(x, o) "
                   "ORDER BY o")  # fmt: skip
        there = [
            duckdb.sql(f"SELECT CAST(CAST({x!r} AS {kind}) AS VARCHAR)").fetchall()[0]
            for x in floats
        ]
        assert here == there


def test_infinite_dates_can_be_kept_but_not_counted(schema: str, tmp_path: Path) -> None:
    for kind in ("date", "timestamptz"):
        sql(f"DROP TABLE IF EXISTS {schema}.ends",
            f"CREATE TABLE {schema}.ends AS SELECT i % 2 AS g, CASE i % 3 WHEN 0 THEN "
            f"'infinity'::{kind} WHEN 1 THEN '-infinity' ELSE '0044-03-15 BC' END AS day "
            "FROM generate_series(1, 30) i")  # fmt: skip
        kept = la.Policy(
            quasi_identifiers={"g": la.flat()}, insensitive="day", require=la.KAnonymity(2)
        )
        with pytest.raises(la.PolicyError, match=r"day \(kept\) cannot be examined"):
            la.anonymize(at(f"{schema}.ends"), kept)
        kept = replace(kept, accept={"day": "invented days"})
        release = la.anonymize(at(f"{schema}.ends"), kept)
        for _ in range(2):  # the failure leaves the release as it is
            with pytest.raises(la.TableError, match="as infinity"):
                release.write(tmp_path / "out.csv")
        release.write(at(f"{schema}.out"), force=True)
        assert la.verify(at(f"{schema}.out")).passed
        assert not list(tmp_path.iterdir())
        with pytest.raises(la.TableError, match="as infinity"):
            la.risk(at(f"{schema}.ends"), ["day"])
