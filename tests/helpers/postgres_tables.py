"""Tables on the PostgreSQL server of the tests: helpers to make them and look at them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import psycopg
import pyarrow as pa
import pytest
from effort import without
from engine_kinds import postgres_server
from postgres_server import binaries

import lookalike as la

NEEDS_POSTGRES = [
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
    with psycopg.connect(home, autocommit=True, options="-c lock_timeout=600s") as opened:
        for one in statements:
            found = opened.execute(one.encode())
        return found.fetchall() if found.description else []


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


def kill() -> None:
    sql("SELECT pg_terminate_backend(pid, 600000) FROM pg_stat_activity "
        "WHERE application_name = 'lookalike'")  # fmt: skip


def killing(what: Callable[..., Any], call: int) -> Callable[..., Any]:
    """The same function, but our connection is gone when it is called for that time."""
    calls = iter(range(1000))

    def wrapped(*given: Any, **more: Any) -> Any:
        if next(calls) == call:
            kill()
        return what(*given, **more)

    return wrapped
