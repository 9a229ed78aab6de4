"""PostgreSQL as source and target, on a real server: what it refuses, survives and never tells."""

from __future__ import annotations

import gc
import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import pandas as pd
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from effort import without
from engine_kinds import postgres_server
from postgres_server import PASSWORD, binaries

import lookalike as la
from lookalike.releasing.release import Release
from lookalike.tables import open_table
from lookalike.tables.postgres import writing
from lookalike.tables.postgres.engine import Postgres
from lookalike.tables.postgres.table import PostgresTable
from lookalike.tables.table_listing import tables_in

pytestmark = [
    without("PostgreSQL is not installed: apt-get install postgresql", binaries() is None),
    pytest.mark.xdist_group("postgres"),
]
POLICY = la.Policy(
    quasi_identifiers={"age": la.bands(5, 10, 20), "zip": la.prefix()},
    sensitive="ill",
    insensitive="fee",
    require=la.KAnonymity(3),
    suppress=0.2,
)
PEOPLE = [
    (30 + n % 9, f"0213{n % 4}", ["flu", "cold", "", None][n % 7 % 4], n / 4) for n in range(60)
]


def sql(*statements: str, database: str = "test") -> list[Any]:
    """By the steward, in a session of its own; the answer to the last."""
    home = postgres_server().address().replace("/test", f"/{database}")
    with psycopg.connect(home, autocommit=True, options="-c lock_timeout=9s") as opened:
        for one in statements:
            found = opened.execute(one.encode())
        return found.fetchall() if found.description else []


@pytest.fixture
def schema() -> Iterator[str]:
    """A schema of the test's own, with a table of people in it."""
    name = f"s{uuid.uuid4().hex[:12]}"
    sql(f"CREATE SCHEMA {name}", f"CREATE TABLE {name}.people (age int, zip text, ill text, "
        "fee double precision)")  # fmt: skip
    with psycopg.connect(postgres_server().address()) as opened:
        rows = f"INSERT INTO {name}.people VALUES (%s, %s, %s, %s)"
        opened.cursor().executemany(rows.encode(), PEOPLE)
    yield name
    gc.collect()
    kill()  # whatever a failure keeps alive
    sql(f"DROP SCHEMA {name} CASCADE")


def at(table: str, **more: str) -> str:
    return postgres_server().address(quote(table), **{key: quote(one) for key, one in more.items()})


def asked(query: str) -> str:
    return postgres_server().address(query=quote(query))


def heap(table: str) -> list[tuple[Any, ...]]:
    return sql(f"SELECT * FROM {table} ORDER BY ctid")


def arrow(rows: list[tuple[Any, ...]] = PEOPLE) -> pa.Table:
    names = ["age", "zip", "ill", "fee"]
    kinds = [pa.int32(), pa.string(), pa.string(), pa.float64()]
    columns = zip(*rows, strict=True)
    return pa.table({n: pa.array(c, k) for n, c, k in zip(names, columns, kinds, strict=True)})


def left_behind() -> int:
    return sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'lookalike'")[0][0]


# table in, table out


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


def test_rows_from_elsewhere_are_sent_whatever_they_hold(schema: str, tmp_path: Path) -> None:
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


def test_what_cannot_be_sent_is_said(schema: str) -> None:
    def refused(column: Any, words: str, name: str = "kept") -> None:
        table = arrow().append_column(name, column)
        policy = replace(POLICY, insensitive=("fee", name))
        with pytest.raises(la.TableError, match=words):
            la.anonymize(table, policy).write(at(f"{schema}.out"))
        assert sql(f"SELECT to_regclass('{schema}.out')") == [(None,)]

    whole = pa.array(range(60))
    refused(pa.array([[n] for n in range(60)]), "no type for what it holds")
    refused(pa.array([b"\xff"] * 60), "no type for what it holds")
    refused(whole, "column 5 is longer than 63 bytes", "ä" * 32)
    refused(whole, "keeps for itself", "ctid")
    refused(pa.array(["a\0b"] * 60), "cannot, as NUL")
    with pytest.raises(la.TableError, match="at most 63 bytes"):
        la.anonymize(arrow(), POLICY).write(at(f"{schema}.{'t' * 64}"))


def test_the_source_is_never_written_over_however_it_is_spelt(schema: str) -> None:
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
    for source, spelt in sources.items():
        release = la.anonymize(source, POLICY)
        for address in spelt:
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
    time.sleep(0.1)
    for _ in range(4):
        release.write(out, force=True)
    time.sleep(0.1)
    done.set()
    watching.join()
    rows = release.certificate.content["rows"]["released"]
    assert seen == {(1,), (rows,)}
    assert la.verify(out).passed
    sql(f"CREATE VIEW {schema}.uses AS SELECT * FROM {schema}.out")
    with pytest.raises(la.TableError, match="other objects, as views, use the table"):
        release.write(out, force=True)
    with pytest.raises(la.FileError, match="no plain table"):
        release.write(at(f"{schema}.uses"), force=True)
    assert la.verify(out).passed


def test_a_table_that_others_hold_on_to_is_not_waited_for_without_end(
    schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "LOCK_TIMEOUT", "100ms")
    release = la.anonymize(at(f"{schema}.people"), POLICY)
    release.write(at(f"{schema}.out"))
    holder = open_table(at(f"{schema}.out"))
    assert holder.rows() > 0
    with pytest.raises(la.TableError, match="others are using the table"):
        release.write(at(f"{schema}.out"), force=True)
    del holder
    gc.collect()
    release.write(at(f"{schema}.out"), force=True)


# who may do what


def test_a_role_that_may_only_read_can_release_to_a_file(schema: str, tmp_path: Path) -> None:
    role = f"reader_{schema}"
    sql(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'",
        "REVOKE TEMPORARY ON DATABASE test FROM PUBLIC")  # fmt: skip
    source = postgres_server().address(f"{schema}.people", role)

    def run() -> Release:
        problem = la.prepare(source, POLICY)
        return la.release(source, problem, la.solve(problem))

    try:
        with pytest.raises(la.TableError, match=r"(?s)may not do that.*USAGE.*SELECT on the table"):
            run()
        sql(f"GRANT USAGE ON SCHEMA {schema} TO {role}")
        with pytest.raises(la.TableError, match=r"(?s)may not do that.*SELECT on the table"):
            run()
        sql(f"GRANT SELECT ON {schema}.people TO {role}")
        with pytest.raises(la.TableError, match=r"(?s)may not do that.*TEMPORARY on the database"):
            run()
        sql(f"GRANT TEMPORARY ON DATABASE test TO {role}")
        release = run()
        assert la.verify(release.write(tmp_path / "out.parquet")).passed
        mine = postgres_server().address(f"{schema}.out", role)
        with pytest.raises(la.TableError, match=r"(?s)may not do that.*CREATE on the schema"):
            release.write(mine)
        release.write(at(f"{schema}.out"))  # by another role, so the rows are sent
        sql(f"REVOKE TEMPORARY ON DATABASE test FROM {role}",
            f"GRANT SELECT ON {schema}.out TO {role}",
            f"GRANT CREATE ON SCHEMA {schema} TO {role}")  # fmt: skip
        assert la.verify(mine).passed  # who verifies needs no more than SELECT
        with pytest.raises(la.TableError, match="only its owner can replace"):
            release.write(mine, force=True)
        sql(f"GRANT TEMPORARY ON DATABASE test TO {role}",
            f"ALTER ROLE {role} SET default_transaction_read_only = on")  # fmt: skip
        with pytest.raises(la.TableError, match="default_transaction_read_only"):
            run()
    finally:
        kill()
        sql("GRANT TEMPORARY ON DATABASE test TO PUBLIC", f"DROP OWNED BY {role}",
            f"DROP ROLE {role}")  # fmt: skip


# what breaks


def kill() -> None:
    sql("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE application_name = 'lookalike'")  # fmt: skip


def killing(what: Callable[..., Any], call: int) -> Callable[..., Any]:
    """The same function, but our connection is gone when it is called for that time."""
    calls = iter(range(1000))

    def wrapped(*given: Any, **more: Any) -> Any:
        if next(calls) == call:
            kill()
        return what(*given, **more)

    return wrapped


HERE: list[tuple[Any, str, int]] = [
    (Postgres, "fetch", 0),  # counting
    (Postgres, "materialize", 0),  # recoding
    (Postgres, "fetch", 9),  # verifying
    (Release, "_write_elsewhere", 0),
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


def test_a_connection_that_is_lost_while_the_server_works(schema: str) -> None:
    sql(f"CREATE VIEW {schema}.slow AS SELECT *, pg_sleep(0.1)::text AS z FROM {schema}.people")

    def watch() -> None:
        busy = (
            "SELECT 1 FROM pg_stat_activity WHERE application_name = 'lookalike' "
            "AND state = 'active' AND query LIKE 'CREATE TEMPORARY TABLE%'"
        )
        while not sql(busy):
            time.sleep(0.02)
        kill()

    watching = threading.Thread(target=watch)
    watching.start()
    started = time.monotonic()
    with pytest.raises(la.TableError, match="the connection to it was lost"):
        la.anonymize(at(f"{schema}.slow"), POLICY)
    assert time.monotonic() - started < 5
    watching.join()


def test_what_is_wrong_with_a_place_is_said(schema: str) -> None:
    port = postgres_server().port
    good = at(f"{schema}.people")
    sql("DROP DATABASE IF EXISTS latin", "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' "
        "TEMPLATE template0")  # fmt: skip
    wrong = {
        good.replace(f":{port}/", ":1/"): "cannot be reached",
        good.replace(PASSWORD, "no"): "refuses this user or password",
        good.replace(f":{PASSWORD}", ""): "refuses this user or password",
        good.replace("steward:", "nobody:"): "refuses this user or password",
        good.replace("/test", "/elsewhere"): "no such database",
        good.replace("/test", "/latin"): "encoding is not UTF8",
        at(f"{schema}.nothing"): "no such table",
        at("nowhere.people"): "no such table",
        at(f"{schema}.People"): "no such table",
        at(f"{schema}.people", wrong="1"): "does not understand the address",
        postgres_server().address(): "names no table",
        at("a.b.c"): "does not read as a table's name",
        f"{good}&query=TABLE%20people": "more than one table or query",
        f"{good}%00": "NUL",
        good + "%ff": "does not read as an address",
        at(f"{schema}.slow", options="-c statement_timeout=100"): "raise statement_timeout",
        asked("SELECT 1 AS a; DROP SCHEMA public"): "does not accept the query",
        asked(f"WITH d AS (DELETE FROM {schema}.people RETURNING *) SELECT * FROM d"):
            "does not accept the query",
        asked(f"DELETE FROM {schema}.people"): "does not accept the query",
        asked(f"SELECT 1 AS a INTO {schema}.made"): "does not accept the query",
        asked("SELECT nothing"): "does not accept the query",
        asked("SELECT * FROM nothing"): "no such table",
        asked("SELECT 1 AS a, 2 AS a"): "name is there twice",
        asked("SELECT 1/0 AS a"): "does not fit",
    }  # fmt: skip
    sql(f"CREATE VIEW {schema}.slow AS SELECT *, pg_sleep(1)::text AS z FROM {schema}.people")
    for address, words in wrong.items():
        with pytest.raises(la.TableError) as caught:
            la.risk(address, ["age"])
        said = str(caught.value)
        assert words in said, said
        assert "fix: " in said
        assert caught.value.__suppress_context__ or caught.value.__context__ is None
    assert len(heap(f"{schema}.people")) == 60
    release = la.anonymize(arrow(), POLICY)
    with pytest.raises(la.TableError, match="no such schema"):
        release.write(at("nowhere.out"))
    gc.collect()
    sql("DROP DATABASE latin")


def test_a_search_that_takes_longer_than_a_session_may_be_idle(schema: str) -> None:
    table = open_table(at(f"{schema}.people", options="-c idle_in_transaction_session_timeout=50"))
    problem = la.prepare(table, POLICY)
    time.sleep(0.3)
    with pytest.raises(la.TableError, match="raise idle_in_transaction_session_timeout"):
        la.release(table, problem, la.solve(problem))


# nothing is executed, nothing is told

NAMES = [
    "c0", "t", "_lookalike_given", "_lookalike_order", "oid", "n", "count", "gone", "q0", "l0",
    'a"; DROP TABLE x; --', "it's", "a\\b", "%s", "{}", "a\nb", "é 東京", "select",
]  # fmt: skip


def test_names_labels_and_values_are_never_sql(schema: str) -> None:
    """Each odd text is a column's name, a cell, a label, and part of the table's own name."""
    labels = {f"{name} up": [name] for name in NAMES}
    table = pa.table(
        {name: [NAMES[(row + i) % len(NAMES)] for row in range(72)] for i, name in enumerate(NAMES)}
    )
    tree, ordered, *flat = NAMES[0], NAMES[10], NAMES[2], NAMES[11]
    policy = la.Policy(
        quasi_identifiers={tree: la.tree(labels), ordered: la.ordered(NAMES, [2, 6])}
        | {name: la.flat() for name in flat},
        insensitive=tuple(name for name in NAMES if name not in {tree, ordered, *flat}),
        eligible={NAMES[3]: NAMES[:-1]},
        levels={tree: (1, 1), ordered: (1, 2)},
        require=la.KAnonymity(2),
    )
    reference = la.anonymize(table, policy).certificate.to_json()
    as_it_is = la.Policy(
        quasi_identifiers={NAMES[0]: la.flat()}, insensitive=NAMES[1:], require=la.KAnonymity(2)
    )
    odd = f'{schema}."_lookalike_0; -- \'\' "" %s {{}} '
    la.anonymize(table, as_it_is).write(at(odd + 'in"'))
    release = la.anonymize(at(odd + 'in"'), policy)
    assert release.certificate.to_json() == reference
    release.write(at(odd + 'out\n\\"'))
    assert la.verify(at(odd + 'out\n\\"')).passed
    assert sql(f"SELECT count(*) FROM pg_class WHERE relnamespace = '{schema}'::regnamespace "
               "AND relkind = 'r'") == [(3,)]  # fmt: skip


def test_a_table_called_as_ours_are_is_not_taken_for_one(schema: str) -> None:
    for name in ("_lookalike_0", "_lookalike_given"):
        sql(f"ALTER TABLE {schema}.people RENAME TO {name}")
        release = la.anonymize(at(name, options=f"-c search_path={schema},pg_temp"), POLICY)
        assert release.certificate.to_json() == la.anonymize(arrow(), POLICY).certificate.to_json()
        del release  # and its lock
        gc.collect()
        sql(f"ALTER TABLE {schema}.{name} RENAME TO people")


def test_functions_of_others_do_not_slip_in(schema: str) -> None:
    """A better match than PostgreSQL's own, in a schema that is on the path."""
    sql(f"CREATE FUNCTION {schema}.abs(real) RETURNS real LANGUAGE plpgsql "
        "AS 'BEGIN RAISE EXCEPTION ''called''; END'",
        f"CREATE FUNCTION {schema}.md5(text) RETURNS text LANGUAGE plpgsql "
        "AS 'BEGIN RAISE EXCEPTION ''called''; END'",
        f"ALTER TABLE {schema}.people ALTER fee TYPE real")  # fmt: skip
    source = at("people", options=f"-c search_path={schema},pg_catalog")
    la.anonymize(source, POLICY).write(at("out", options=f"-c search_path={schema},pg_catalog"))
    assert la.verify(at(f"{schema}.out")).passed


@contextmanager
def all_that_is_said(caplog: pytest.LogCaptureFixture) -> Iterator[list[str]]:
    """Log records of every logger; whoever runs the block adds messages."""
    said: list[str] = []
    with caplog.at_level(logging.DEBUG):
        yield said
    for record in caplog.records:
        said += [record.getMessage(), str(record.exc_text), repr(record.args)]


def test_nothing_secret_is_told(
    schema: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = ["Zebra", "Quagga", "Okapi", "Stripes", PASSWORD, "steward", "127.0.0.1"]
    sql(f"CREATE TABLE {schema}.zoo (beast text, n int)",
        f"INSERT INTO {schema}.zoo SELECT (ARRAY['Zebra''x', 'Quagga', 'Okapi'])[1 + i % 3], i % 2 "
        "FROM generate_series(1, 40) i")  # fmt: skip
    policy = la.Policy(
        quasi_identifiers={"beast": la.tree({"Stripes": ["Zebra'x", "Quagga"], "No": ["Okapi"]})},
        insensitive="n",
        require=la.KAnonymity(14),
        suppress=0.5,
    )
    where = "beast <> E'Zebra\\'y' AND beast <> $$Quagga'$$ AND beast <> $q$Okapi$q$"
    sources = [at(f"{schema}.zoo"), asked(f"SELECT * FROM {schema}.zoo WHERE {where}")]
    broken = [
        asked("SELECT 'Zebra'::int AS beast"),
        asked('SELECT * FROM "Zebra'),
        at(f"{schema}.nothing"),
        at(f"{schema}.zoo").replace("/test", "/Okapi"),
        at(f"{schema}.zoo").replace("steward", "Okapi"),
        at(f"{schema}.zoo", options="-c statement_timeout=1ms -c wrong=Okapi"),
    ]
    with all_that_is_said(caplog) as said:
        for source in sources:
            table = open_table(source)
            release = la.anonymize(table, policy)
            held: Any = release.released
            for shown in (table, table.place, table.content, table.engine, release, held,  # type: ignore[attr-defined]
                          held.content, held.content.relation, held.place):  # fmt: skip
                said.append(repr(shown))
            release.write(at(f"{schema}.out"), force=True)
        for source in broken:
            with pytest.raises(la.LookalikeError) as caught:
                la.anonymize(source, policy)
            said += [str(caught.value), repr(caught.value), repr(caught.value.faults)]
        monkeypatch.setattr(writing, "_comment", killing(writing._comment, 0))
        with pytest.raises(la.LookalikeError) as caught:
            release.write(at(f"{schema}.out"), force=True)
        said.append(str(caught.value))
    assert len(said) > 100
    whole = "\n".join(said)
    assert f"{schema}" in whole
    for word in secret:
        assert word not in whole, next(one for one in said if word in one)


# others at the same time


def test_rows_that_others_write_meanwhile_do_not_count(schema: str) -> None:
    table = open_table(at(f"{schema}.people"))
    more = f"INSERT INTO {schema}.people SELECT 99, '{{}}', 'new', 1 FROM generate_series(1, 5)"
    sql(more.format("1"))
    problem = la.prepare(table, POLICY)
    sql(more.format("2"), f"DELETE FROM {schema}.people WHERE age = 30")
    release = la.release(table, problem, la.solve(problem))
    sql(more.format("3"))
    release.write(at(f"{schema}.out"))
    assert la.verify(at(f"{schema}.out")).passed
    assert release.certificate.to_json() == la.anonymize(arrow(), POLICY).certificate.to_json()


def test_the_order_holds_when_the_server_works_in_parallel(schema: str) -> None:
    sql(f"CREATE TABLE {schema}.many AS SELECT (i * 7919 % 80)::int AS age, "
        "lpad(((i * 104729) % 50)::text, 5, '0') AS zip, 'ill ' || i % 11 AS ill, "
        "(i * 31) % 700 AS cost FROM generate_series(1, 120000::bigint) i",
        f"ALTER TABLE {schema}.many SET (parallel_workers = 2)",
        f"ANALYZE {schema}.many")  # fmt: skip
    wanted = ("-c force_parallel_mode=on -c parallel_setup_cost=0 -c parallel_tuple_cost=0 "
              "-c min_parallel_table_scan_size=0 -c synchronize_seqscans=on")  # fmt: skip
    table = at(f"{schema}.many", options=wanted)
    fine = la.Policy(
        quasi_identifiers={"age": la.bands(20, 40), "zip": la.prefix()},
        sensitive="ill", insensitive="cost", require=la.KAnonymity(50),
    )  # fmt: skip
    la.anonymize(table, fine).write(at(f"{schema}.out", options=wanted))
    assert la.verify(at(f"{schema}.out", options=wanted)).passed
    rows = heap(f"{schema}.out")
    assert len(rows) == 120_000
    assert rows == sorted(rows)


# types

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
        quasi_identifiers={"g": la.flat()}, insensitive=names, require=la.KAnonymity(20)
    )
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


def test_floats_read_as_duckdb_writes_them() -> None:
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
        shown = Postgres.text("x", name)
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
        release = la.anonymize(at(f"{schema}.ends"), kept)
        for _ in range(2):  # the failure leaves the release as it is
            with pytest.raises(la.TableError, match="as infinity"):
                release.write(tmp_path / "out.csv")
        release.write(at(f"{schema}.out"), force=True)
        assert la.verify(at(f"{schema}.out")).passed
        assert not list(tmp_path.iterdir())
        with pytest.raises(la.TableError, match="as infinity"):
            la.risk(at(f"{schema}.ends"), ["day"])


# tables of other kinds


def test_views_partitions_and_odd_schemas_are_sources_too(schema: str) -> None:
    sql(f"CREATE VIEW {schema}.v AS SELECT *, random() AS fresh FROM {schema}.people",
        f"CREATE MATERIALIZED VIEW {schema}.m AS SELECT * FROM {schema}.people",
        f"CREATE TABLE {schema}.p (LIKE {schema}.people) PARTITION BY RANGE (age)",
        f"CREATE TABLE {schema}.p1 PARTITION OF {schema}.p FOR VALUES FROM (0) TO (33)",
        f"CREATE TABLE {schema}.p2 PARTITION OF {schema}.p DEFAULT",
        f"INSERT INTO {schema}.p SELECT * FROM {schema}.people",
        f'ALTER TABLE {schema}.people ADD gone int', f"ALTER TABLE {schema}.people DROP gone",
        f'CREATE SCHEMA "{schema}.The Dots"',
        f'CREATE TABLE "{schema}.The Dots"."A.b" AS SELECT * FROM {schema}.people')  # fmt: skip
    reference = la.anonymize(arrow(), POLICY).certificate.to_json()
    dots = f'"{schema}.The Dots"."A.b"'
    try:
        for source in (f"{schema}.m", f"{schema}.p", f"{schema}.people", dots):
            assert la.anonymize(at(source), POLICY).certificate.to_json() == reference
        policy = replace(POLICY, insensitive=("fee", "fresh"))
        release = la.anonymize(at(f"{schema}.v"), policy)  # asked once, or it would not add up
        release.write(at(f'"{schema}.The Dots"."O.ut"'))
        assert la.verify(at(f'"{schema}.The Dots"."O.ut"')).passed
    finally:
        kill()
        sql(f'DROP SCHEMA "{schema}.The Dots" CASCADE')


def test_the_tables_there_are_and_nothing_that_may_not_be_read(schema: str) -> None:
    reader = f"{schema}_reader"
    sql(f"CREATE VIEW {schema}.seen AS SELECT * FROM {schema}.people",
        f'CREATE TABLE {schema}."A.b" ()', f"CREATE TABLE {schema}.hidden ()",
        f"CREATE ROLE {reader} LOGIN PASSWORD '{PASSWORD}'",
        f"GRANT USAGE ON SCHEMA {schema} TO {reader}",
        f"GRANT SELECT ON {schema}.people, {schema}.seen TO {reader}")  # fmt: skip
    try:
        mine = [name for name in tables_in(at("anything")) if name.startswith(schema)]
        assert mine == [f'{schema}."A.b"', *(f"{schema}.{n}" for n in ("hidden", "people", "seen"))]
        theirs = tables_in(postgres_server().address(user=reader))
        assert theirs == [f"{schema}.people", f"{schema}.seen"]
        assert not [name for name in tables_in(at("t")) if name.startswith(("pg_", "information"))]
    finally:
        sql(f"DROP OWNED BY {reader}", f"DROP ROLE {reader}")
    with pytest.raises(la.TableError, match=r"the database: .*password") as caught:
        tables_in(postgres_server().address().replace(PASSWORD, "wrong"))
    assert "wrong" not in str(caught.value)


def test_a_table_with_no_rows_or_no_columns(schema: str) -> None:
    sql(f"CREATE TABLE {schema}.nobody (LIKE {schema}.people)", f"CREATE TABLE {schema}.bare ()",
        f"INSERT INTO {schema}.bare DEFAULT VALUES")  # fmt: skip
    la.anonymize(at(f"{schema}.nobody"), POLICY).write(at(f"{schema}.out"))
    assert heap(f"{schema}.out") == []
    assert la.verify(at(f"{schema}.out")).passed
    la.anonymize(arrow().slice(0, 0), POLICY).write(at(f"{schema}.out"), force=True)
    assert la.verify(at(f"{schema}.out")).passed
    with pytest.raises(la.TableError, match="it has no columns"):
        la.anonymize(at(f"{schema}.bare"), POLICY)


def test_the_connection_goes_with_the_table(schema: str) -> None:
    gc.collect()
    assert left_behind() == 0
    release = la.anonymize(at(f"{schema}.people"), POLICY)
    release.write(at(f"{schema}.out"))
    assert left_behind() == 1
    del release
    gc.collect()
    for _ in range(50):
        if left_behind() == 0:
            break
        time.sleep(0.02)
    assert left_behind() == 0
    assert sql("SELECT count(*) FROM pg_class WHERE relpersistence = 't'") == [(0,)]


def test_frames_with_categories_and_moments_are_sent(schema: str) -> None:
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
