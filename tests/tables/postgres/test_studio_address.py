"""Addresses that a user of the studio enters: six parts, read as the driver reads them."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict

from lookalike.errors import TableError
from lookalike.tables.addresses import parse_address
from lookalike.tables.column_names import join_name
from lookalike.tables.postgres import studio_address
from lookalike.tables.postgres.address import PostgresAddress

PARTS = {"user", "password", "host", "port", "dbname"}
# without surrogates, which have no UTF-8, and NUL, which no name has
names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
hosts = st.sampled_from(["localhost", "db.example", "127.0.0.1", "[::1]", "DB_1"])
GOOD = "postgresql://anna:secret@db.example:5433/clinic?table=shared.people"


def parse(text: str) -> PostgresAddress:
    address = parse_address(text, in_studio=True)
    assert isinstance(address, PostgresAddress)
    return address


@given(names, names, hosts, st.none() | st.integers(1, 65535), names, names)
@example("a@b:c", "p@q/r?s#t", "localhost", None, "host=elsewhere user=root", "t")
@example("a", "p", "localhost", None, "postgresql://elsewhere/x", "t")
@example("a", "%00"[:2], "localhost", 1, "a/b", "a.b")
@example("a", "p", "localhost", None, "clinic", "\r")
def test_the_driver_gets_each_part_as_it_was_meant(user, password, host, port, database, table):
    at = f"{host}:{port}" if port else host
    login = f"{quote(user, safe='')}:{quote(password, safe='')}"
    name = quote(join_name([table]), safe="")
    address = parse(f"postgresql://{login}@{at}/{quote(database, safe='')}?table={name}")
    meant = {"user": user, "password": password, "host": host.strip("[]"), "dbname": database}
    assert conninfo_to_dict(address.database) == meant | ({"port": str(port)} if port else {})
    assert address.table == (table,)
    assert address.query is None
    assert address.own_login


pieces = st.sampled_from([
    "postgresql://", "anna", ":", "secret", "@", "db.example", ",", "/", "?", "&", "#", "=", "%2F",
    "%40", "%3F", "%26", "%3D", "table=people", "host=elsewhere", "user=root", "query=SELECT 1",
    "passfile=", "[", "]", "::1", "5432", " ", "\\", "'", "%00", "clinic", "\t",
])  # fmt: skip


@given(st.lists(pieces, max_size=14).map("".join), st.booleans())
@example("postgresql://a:b@c/d?table=t", False)
@example("@[::1]/clinic?table=people", True)
def test_nothing_else_ever_gets_to_the_driver(rest, begun):
    text = f"postgresql://anna:secret{rest}" if begun else rest
    try:
        database, table = studio_address.parse(text)
    except TableError:
        return
    found = conninfo_to_dict(database)
    assert PARTS - {"port"} <= set(found) <= PARTS
    assert all(found.values())
    assert found["host"][0] not in "/@"
    assert "," not in found["host"]
    assert table


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        (GOOD.replace("table=shared.people", "query=SELECT%201"), "table is the only parameter"),
        (GOOD + "&query=SELECT%201", "table is the only parameter"),
        (GOOD + "&host=elsewhere", "table is the only parameter"),
        (GOOD + "&hostaddr=127.0.0.1", "table is the only parameter"),
        (GOOD + "&user=root", "table is the only parameter"),
        (GOOD + "&%75ser=root", "table is the only parameter"),
        (GOOD + "&passfile=%2Fhome%2Foperator%2F.pgpass", "table is the only parameter"),
        (GOOD + "&service=operator", "table is the only parameter"),
        (GOOD + "&options=-c%20role%3Droot", "table is the only parameter"),
        (GOOD + "&sslcert=%2Fhome%2Foperator%2Fkey", "table is the only parameter"),
        (GOOD + "&sslmode=disable", "table is the only parameter"),
        (GOOD + "&TABLE=other", "table is the only parameter"),
        (GOOD + "&", "table is the only parameter"),
        (GOOD + "&table=other", "more than one table"),
        (GOOD.replace(":secret", ""), "needs a user and a password"),
        (GOOD.replace(":secret", ":"), "needs a user and a password"),
        (GOOD.replace("anna:secret@", ""), "needs a user and a password"),
        (GOOD.replace("anna", ""), "needs a user and a password"),
        (GOOD.replace("db.example:5433", ""), "needs one host"),
        (GOOD.replace("db.example", "%2Fvar%2Frun%2Fpostgresql"), "needs one host"),
        (GOOD.replace("db.example", "%40abstract"), "needs one host"),
        (GOOD.replace("db.example", "db.example,elsewhere"), "needs one host"),
        (GOOD.replace("db.example:5433", "[%2Ftmp]"), "needs one host"),
        (GOOD.replace("5433", "0"), "the port is not a number"),
        (GOOD.replace("5433", "65536"), "the port is not a number"),
        (GOOD.replace("5433", "5433,5434"), "the port is not a number"),
        (GOOD.replace(":5433", ":"), "the port is not a number"),
        (GOOD.replace("clinic", ""), "names no database"),
        (GOOD.replace("/clinic", ""), "names no database"),
        (GOOD.replace("shared.people", ""), "names no table"),
        (GOOD.replace("?table=shared.people", ""), "names no table"),
        (GOOD.replace("shared.people", "a.b.c.d"), "names no table"),
        (GOOD.replace("shared.people", "%ff"), "names no table"),
        (GOOD + "#x", "not a valid address"),
        (GOOD.replace("secret", "sec@ret"), "not a valid address"),
        (GOOD.replace("secret", "sec/ret"), "not a valid address"),
        (GOOD.replace("secret", "%00"), "not a valid address"),
        (GOOD.replace("secret", "%ff"), "not a valid address"),
        (GOOD.replace("clinic", "clinic/more"), "not a valid address"),
        ("postgresql:shared.people", "not a valid address"),
        ("postgresql:dbname=clinic host=elsewhere", "not a valid address"),
    ],
)
def test_anything_else_is_refused_with_the_form_that_is_allowed(address, problem):
    with pytest.raises(TableError) as refused:
        parse(address)
    assert problem in str(refused.value)
    assert all(studio_address.FORM in fault.fix for fault in refused.value.faults)
    assert "anna" not in str(refused.value)
    assert "secret" not in str(refused.value)


def test_every_fault_is_reported_at_once():
    with pytest.raises(TableError) as refused:
        parse("postgresql:///?query=SELECT%201")
    assert len(refused.value.faults) == 4


def test_the_operator_may_still_write_all_of_it():
    address = parse_address("postgresql:///clinic?host=%2Ftmp&user=root&query=SELECT%201")
    assert isinstance(address, PostgresAddress)
    assert address.query == "SELECT 1"
    assert not address.own_login
    assert conninfo_to_dict(address.database) == {
        "dbname": "clinic",
        "host": "/tmp",
        "user": "root",
    }
