"""A schema of PostgreSQL for each test."""

from __future__ import annotations

import gc
import uuid
from collections.abc import Iterator

import psycopg
import pytest
from engine_kinds import postgres_server
from postgres_tables import PEOPLE, kill, sql


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
