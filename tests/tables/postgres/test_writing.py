"""Releases are written to PostgreSQL completely or not at all."""

from __future__ import annotations

import gc
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine_kinds import postgres_server
from postgres_server import PASSWORD
from postgres_tables import NEEDS_POSTGRES, POLICY, arrow, asked, at, heap, killing, sql
from waiting import until

import lookalike as la
from lookalike.releasing.release import Release
from lookalike.tables import open_table
from lookalike.tables.postgres import writing
from lookalike.tables.postgres.engine import Postgres
from lookalike.tables.postgres.table import PostgresTable

pytestmark = NEEDS_POSTGRES


def test_a_release_is_copied_on_the_server_and_verifies(
    schema: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    release = la.anonymize(at(f"{schema}.people"), POLICY)
    reference = la.anonymize(arrow(), POLICY)
    out = at(f"{schema}.out")
    with monkeypatch.context() as patched:
        patched.setattr(PostgresTable, "batches", None)  # so no row can leave
        assert release.write(out) == f"{schema}.out"
    assert heap(f"{schema}.out") == list(
        zip(*(column.to_pylist() for column in reference.table.columns), strict=True)
    )
    [[comment]] = sql(f"SELECT obj_description('{schema}.out'::regclass)")
    assert comment == reference.certificate.to_json() == release.certificate.to_json()
    assert la.verify(out).passed
    for name in ("out.csv", "out.parquet"):
        assert la.verify(release.write(tmp_path / name)).passed
    query = asked(f"SELECT * FROM {schema}.people -- all of them;")
    assert la.anonymize(query, POLICY).certificate.to_json() == comment
    with pytest.raises(la.FileError, match="a query cannot be written to"):
        release.write(query)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE {out} SET ill = 'gout' WHERE ctid = (SELECT min(ctid) FROM {out})",
        "DELETE FROM {out} WHERE ctid = (SELECT max(ctid) FROM {out})",
        "INSERT INTO {out} SELECT * FROM {out} LIMIT 1",
        "CREATE TABLE {out}2 AS SELECT * FROM {out} ORDER BY random(); TRUNCATE {out}; "
        "INSERT INTO {out} SELECT * FROM {out}2",
    ],
    ids=["a cell", "a row less", "a row more", "the order"],
)
def test_a_table_that_was_altered_is_refused(schema: str, change: str) -> None:
    out = at(f"{schema}.out")
    la.anonymize(at(f"{schema}.people"), POLICY).write(out)
    sql(change.format(out=f"{schema}.out"))
    assert not la.verify(out).passed


def test_rows_of_other_engines_are_sent_with_any_content(schema: str, tmp_path: Path) -> None:
    odd = [
        "\\.",
        "\\N",
        "",
        None,
        "a\tb",
        "a\nb\r\nc\r",
        '"',
        "\n\\.\n",
        "'; --",
        "%s {} \\",
        "é東",
    ]
    rows = [(30 + n % 3, "02139", odd[n % len(odd)], n * 0.1) for n in range(66)]
    pq.write_table(arrow(rows), tmp_path / "people.parquet")
    only = la.Policy(quasi_identifiers={"ill": la.flat()}, require=la.KAnonymity(2))
    for number, (source, policy) in enumerate(
        [
            (tmp_path / "people.parquet", POLICY),
            (arrow(rows).to_pandas(), POLICY),
            (arrow(rows).select(["ill"]), only),
        ]
    ):
        release = la.anonymize(source, policy)
        out = at(f"{schema}.sent{number}")
        release.write(out)
        assert la.verify(out).passed
        assert {row[-1 if policy is only else 2] for row in heap(f"{schema}.sent{number}")} == {
            *odd
        }
        again = la.anonymize(at(f"{schema}.sent{number}"), la.Policy(
            quasi_identifiers={"ill": la.flat()}, insensitive=("age", "zip", "fee")
            if policy is not only else (), require=la.KAnonymity(2)))  # fmt: skip
        assert again.solution.cost == 0  # and are read as they were sent


def test_columns_that_cannot_be_sent_are_reported(schema: str) -> None:
    def refused(column: Any, words: str, name: str = "kept") -> None:
        table = arrow().append_column(name, column)
        policy = replace(POLICY, insensitive=("fee", name), accept={name: "invented cells"})
        with pytest.raises(la.TableError, match=words):
            la.anonymize(table, policy).write(at(f"{schema}.out"))
        assert sql(f"SELECT to_regclass('{schema}.out')") == [(None,)]

    whole = pa.array(range(60))
    refused(pa.array([[n] for n in range(60)]), "no type for this column")
    refused(pa.array([b"\xff"] * 60), "no type for this column")
    refused(whole, "column 5 is longer than 63 bytes", "ä" * 32)
    refused(whole, "PostgreSQL reserves", "ctid")
    refused(pa.array(["a\0b"] * 60), "does not allow, such as NUL")
    with pytest.raises(la.TableError, match="at most 63 bytes"):
        la.anonymize(arrow(), POLICY).write(at(f"{schema}.{'t' * 64}"))


def test_frames_with_categories_and_times_are_sent(schema: str) -> None:
    frame = pd.DataFrame(
        {
            "age": pd.Series([30, 31, None] * 20, dtype="Int64"),
            "zip": pd.Categorical(["1", "2", "3"] * 20),
            "ill": [None] * 60,
            "at": pd.to_datetime(["2024-03-31T01:30:00Z"] * 60, utc=True).tz_convert("Asia/Tokyo"),
            "small": pd.Series([0.1, 1234567.0, float("nan")] * 20, dtype="float32"),
        }
    )
    policy = replace(POLICY, insensitive=("at", "small"))
    la.anonymize(frame, policy).write(at(f"{schema}.out"))
    assert la.verify(at(f"{schema}.out")).passed


def test_the_source_is_never_overwritten_however_it_is_spelled(schema: str) -> None:
    sql(f"CREATE VIEW {schema}.seen AS SELECT * FROM {schema}.people",
        f"CREATE TABLE {schema}.parts (age int, zip text, ill text, fee float8) "
        "PARTITION BY RANGE (age)",
        f"CREATE TABLE {schema}.part1 PARTITION OF {schema}.parts FOR VALUES FROM (0) TO (99)",
        f"INSERT INTO {schema}.parts SELECT * FROM {schema}.people")  # fmt: skip
    port = postgres_server().port
    people = [
        at(f"{schema}.people"),
        at(f'{schema}."people"', connect_timeout="9"),
        at("people", options=f"-c search_path={schema}"),
        f"POSTGRES://steward@localhost:{port}/test?password={PASSWORD}&table={schema}.people",
        f"postgresql:///?table={schema}.people&port={port}&host=127.0.0.1&user=steward"
        f"&password={PASSWORD}&dbname=test",
    ]
    sources = {
        at(f"{schema}.people"): people,
        at(f"{schema}.seen"): people[:1],
        asked(f"WITH x AS (SELECT * FROM {schema}.seen) SELECT * FROM x"): people[:1],
        at(f"{schema}.parts"): [at(f"{schema}.part1")],
        at(f"{schema}.part1"): [at(f"{schema}.parts")],
    }
    for source, addresses in sources.items():
        release = la.anonymize(source, POLICY)
        for address in addresses:
            with pytest.raises(la.FileError, match="this is the input table itself"):
                release.write(address, force=True)
    assert len(heap(f"{schema}.people")) == 60


def test_an_existing_table_is_replaced_only_by_force_and_never_missing(schema: str) -> None:
    release = la.anonymize(at(f"{schema}.people"), POLICY)
    out = at(f"{schema}.out")
    sql(f"CREATE TABLE {schema}.out AS SELECT -1 AS old")
    for _ in range(2):  # and what was refused once can be tried again
        with pytest.raises(la.FileError, match="the table exists"):
            release.write(out)
    seen, done = set(), threading.Event()

    def watch() -> None:
        with psycopg.connect(postgres_server().address(), autocommit=True) as opened:
            while not done.is_set():
                seen.add(opened.execute(f"SELECT count(*) FROM {schema}.out".encode()).fetchone())

    watching = threading.Thread(target=watch)
    watching.start()
    until(lambda: (1,) in seen)
    for _ in range(4):
        release.write(out, force=True)
    rows = release.certificate.content["rows"]["released"]
    until(lambda: (rows,) in seen)
    done.set()
    watching.join()
    assert seen == {(1,), (rows,)}
    assert la.verify(out).passed
    sql(f"CREATE VIEW {schema}.uses AS SELECT * FROM {schema}.out")
    with pytest.raises(la.TableError, match="other objects, such as views, use the table"):
        release.write(out, force=True)
    with pytest.raises(la.FileError, match="only plain tables can be replaced"):
        release.write(at(f"{schema}.uses"), force=True)
    assert la.verify(out).passed


def test_waiting_for_a_locked_table_ends(schema: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "LOCK_TIMEOUT", "100ms")
    release = la.anonymize(at(f"{schema}.people"), POLICY)
    release.write(at(f"{schema}.out"))
    holder = open_table(at(f"{schema}.out"))
    assert holder.rows() > 0
    with pytest.raises(la.TableError, match="others are using the table"):
        release.write(at(f"{schema}.out"), force=True)
    del holder
    gc.collect()
    monkeypatch.setattr(writing, "LOCK_TIMEOUT", "600s")  # the server may be slow to notice
    release.write(at(f"{schema}.out"), force=True)


HERE: list[tuple[Any, str, int]] = [
    (Postgres, "fetch", 0),  # counting
    (Postgres, "materialize", 0),  # recoding
    (Postgres, "fetch", 9),  # verifying
    (Release, "_write_to_address", 0),
    (writing, "find_entry", 0),
    (Release, "_refuse_unless_the_same", 0),  # the table is made, and being read back
    (writing, "_comment", 0),
    (writing, "commit", 0),
]
SENT: list[tuple[Any, str, int]] = [
    (writing, "_send", 0),
    (Postgres, "copy_in", 0),
    (Release, "_refuse_unless_the_same", 0),
]


@pytest.mark.parametrize(
    ("sent", "owner", "name", "call"),
    [(False, *one) for one in HERE] + [(True, *one) for one in SENT],
    ids=lambda one: str(getattr(one, "__name__", one)),
)
def test_a_connection_that_is_lost_leaves_nothing(
    schema: str, sent: bool, owner: Any, name: str, call: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = arrow() if sent else at(f"{schema}.people")

    def run() -> None:
        la.anonymize(table, POLICY).write(at(f"{schema}.out"))

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, killing(getattr(owner, name), call))
        with pytest.raises(la.TableError) as caught:
            run()
    assert "run again" in str(caught.value)
    assert caught.value.__suppress_context__
    assert name == "commit" or "nothing was written" in str(caught.value)
    assert sql(f"SELECT relname FROM pg_class WHERE relnamespace = '{schema}'::regnamespace") == [
        ("people",)
    ]
    run()
    assert la.verify(at(f"{schema}.out")).passed
