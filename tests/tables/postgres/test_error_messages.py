"""Errors of PostgreSQL say what to do, and never show a secret."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from engine_kinds import postgres_server
from postgres_server import PASSWORD
from postgres_tables import NEEDS_POSTGRES, POLICY, arrow, asked, at, heap, killing, sql

import lookalike as la
from lookalike.tables import open_table
from lookalike.tables.postgres import writing

pytestmark = NEEDS_POSTGRES


def test_a_wrong_address_says_what_is_wrong(schema: str) -> None:
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
        at("a.b.c"): "not a valid table name",
        f"{good}&query=TABLE%20people": "more than one table or query",
        f"{good}%00": "NUL",
        good + "%ff": "not a valid address",
        at(f"{schema}.slow", options="-c statement_timeout=100"): "raise statement_timeout",
        asked("SELECT 1 AS a; DROP SCHEMA public"): "does not accept the query",
        asked(f"WITH d AS (DELETE FROM {schema}.people RETURNING *) SELECT * FROM d"):
            "does not accept the query",
        asked(f"DELETE FROM {schema}.people"): "does not accept the query",
        asked(f"SELECT 1 AS a INTO {schema}.made"): "does not accept the query",
        asked("SELECT nothing"): "does not accept the query",
        asked("SELECT * FROM nothing"): "no such table",
        asked("SELECT 1 AS a, 2 AS a"): "two columns have the same name",
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


@contextmanager
def captured_messages(caplog: pytest.LogCaptureFixture) -> Iterator[list[str]]:
    """Log records of every logger; the code in the block adds messages."""
    said: list[str] = []
    with caplog.at_level(logging.DEBUG):
        yield said
    for record in caplog.records:
        said += [record.getMessage(), str(record.exc_text), repr(record.args)]


def test_no_secret_is_shown(
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
    with captured_messages(caplog) as said:
        for source in sources:
            table = open_table(source)
            release = la.anonymize(table, policy)
            held: Any = release.released
            for shown in (table, table.address, table.content, table.engine, release, held,  # type: ignore[attr-defined]
                          held.content, held.content.relation, held.address):  # fmt: skip
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
