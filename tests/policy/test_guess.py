"""A draft loads as it stands, its hierarchies take the values, and it shows none of them."""

from __future__ import annotations

import datetime
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import PolicyError
from lookalike.policy.file import loads
from lookalike.policy.guess import ColumnFacts, draft
from lookalike.policy.hierarchies import bands, dates, flat, prefix

ROWS = 200


def facts(name, values, kind="text"):
    distinct = tuple(dict.fromkeys(values))
    known = len(distinct) - (None in distinct)
    return ColumnFacts(name, kind, len(values), known, values.count(None), distinct)


def drafted(*columns):
    return loads(draft(columns, "table.csv")).policy


def some(make, seed=0):
    lots = random.Random(seed)
    return [make(lots) for _ in range(ROWS)]


AGES = some(lambda lots: lots.randint(17, 90))
ZIPS = some(lambda lots: f"{lots.randint(2100, 2199):05d}")
BORN = some(lambda lots: datetime.date(1930, 1, 1) + datetime.timedelta(lots.randint(0, 20000)))
SEEN = some(lambda lots: f"2020-01-{lots.randint(10, 28)} {lots.randint(10, 23)}:30")
SEXES = some(lambda lots: lots.choice("MF"))


def test_columns_get_the_hierarchy_that_fits_their_values():
    policy = drafted(
        facts("age", AGES, "int64"),
        facts("zip", ZIPS),
        facts("district", ZIPS),
        facts("born", BORN, "date"),
        facts("seen", SEEN),
        facts("sex", SEXES),
        facts("weight", some(lambda lots: round(lots.uniform(50, 99), 1)), "double"),
    )
    assert policy.quasi_identifiers == {
        "age": bands(5, 10, 20),
        "zip": prefix(),
        "district": prefix(),
        "born": dates(),
        "seen": dates(days=True),
        "sex": flat(),
        "weight": bands(5, 10, 20),
    }
    assert policy.insensitive == ()


def test_roles_come_from_names_and_from_values_of_ones_own():
    policy = drafted(
        facts("Full Name", [f"N{i}" for i in range(ROWS)]),
        facts("patientID", list(range(ROWS))),
        facts("e-mail", ["x"] * ROWS),
        facts("row", list(range(5, 5 + ROWS)), "int64"),
        facts("token", [f"t{i}x" for i in range(ROWS)]),
        facts("notes", ["the patient came in and said " * 3] * ROWS),
        facts("diagnosis", SEXES),
        facts("annual_income", AGES),
        facts("country name", SEXES),
    )
    assert policy.identifiers == ("Full Name", "patientID", "e-mail", "row", "token", "notes")
    assert policy.sensitive == ("diagnosis", "annual_income")
    assert policy.names == ("country name",)


def test_dates_that_read_two_ways_say_so():
    column = facts("seen", some(lambda lots: f"0{lots.randint(1, 9)}/0{lots.randint(1, 9)}/2020"))
    text = draft([column], "t.csv")
    assert loads(text).policy.quasi_identifiers["seen"] == dates(format="%m/%d/%Y")
    assert "check format" in text


def test_each_guess_says_type_distinct_share_nulls_and_reason():
    text = draft([facts("age", [*AGES, None, None], "int64")], "t.csv", k=7)
    distinct = len(set(AGES))
    comment = f"# int64: {distinct} distinct in 202 rows ({distinct / 200:.0%} unique), 2 nulls. "
    assert comment + "Numbers with many values." in text
    assert loads(text).policy.smallest == 7


def test_a_sample_is_said_to_be_one():
    column = ColumnFacts("age", "int64", 10**6, 90, 0, tuple(range(17, 40)))
    assert "Judged by a sample" in draft([column], "t.csv")


def test_a_table_of_identifiers_alone_still_drafts_a_policy():
    assert drafted(facts("name", [f"N{i}" for i in range(ROWS)])).names == ("name",)
    with pytest.raises(PolicyError):
        draft([], "t.csv")


cells = st.one_of(
    st.none(),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.text(max_size=5),
    st.dates(),
    st.datetimes(),
    st.decimals(allow_nan=False),
    st.dates().map(lambda day: day.strftime("%m/%d/%Y")),
)
columns = st.lists(
    st.tuples(
        st.text(max_size=9), st.one_of(cells.flatmap(lambda c: st.just([c])), st.lists(cells))
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda column: column[0],
)


@given(columns)
def test_every_draft_loads_and_takes_the_values(drawn):
    every = [facts(name, values, "odd\ntype") for name, values in drawn]
    policy = loads(draft(every, 'odd "table"\nname')).policy
    assert policy.faults([one.name for one in every]) == []
    for one in every:
        if one.name in policy.quasi_identifiers:
            policy.quasi_identifiers[one.name].tabulate(one.name, one.values)


def test_no_cell_value_is_in_the_draft():
    text = draft(
        [
            facts("who", [f"secret{i}" for i in range(ROWS)]),
            facts("zip", ZIPS),
            facts("born", BORN, "date"),
            facts("town", some(lambda lots: lots.choice(["Secretville", "Hiddenham"]))),
        ],
        "t.csv",
    )
    for value in ["secret", "Secretville", "Hiddenham", *ZIPS, *map(str, BORN)]:
        assert value not in text
