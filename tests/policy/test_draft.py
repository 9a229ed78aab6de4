"""A draft loads as it stands, its hierarchies take the values, and it shows none of them."""

from __future__ import annotations

import datetime
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import PolicyError
from lookalike.policy.draft import ColumnFacts, draft_policy
from lookalike.policy.hierarchies.bands import bands
from lookalike.policy.hierarchies.dates import dates
from lookalike.policy.hierarchies.flat import flat
from lookalike.policy.hierarchies.prefix import prefix
from lookalike.policy.policy_file import loads

ROWS = 200


def facts(name, values, kind="text"):
    distinct = tuple(dict.fromkeys(values))
    known = len(distinct) - (None in distinct)
    return ColumnFacts(name, kind, len(values), known, values.count(None), distinct)


def drafted(*columns):
    return loads(draft_policy(columns, "table.csv")).policy


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
    text = draft_policy([column], "t.csv")
    assert loads(text).policy.quasi_identifiers["seen"] == dates(format="%m/%d/%Y")
    assert "check format" in text


def test_each_guess_says_type_distinct_share_nulls_and_reason():
    text = draft_policy([facts("age", [*AGES, None, None], "int64")], "t.csv", k=7)
    distinct = len(set(AGES))
    comment = f"# int64: {distinct} distinct in 202 rows ({distinct / 200:.0%} unique), 2 nulls. "
    assert comment + "Numbers with many values." in text
    assert loads(text).policy.smallest == 7


def test_a_sample_is_said_to_be_one():
    column = ColumnFacts("age", "int64", 10**6, 90, 0, tuple(range(17, 40)))
    assert "Based on a sample" in draft_policy([column], "t.csv")


def test_a_table_of_identifiers_alone_still_drafts_a_policy():
    assert drafted(facts("name", [f"N{i}" for i in range(ROWS)])).names == ("name",)
    with pytest.raises(PolicyError):
        draft_policy([], "t.csv")


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
    policy = loads(draft_policy(every, 'odd "table"\nname')).policy
    assert policy.faults([one.name for one in every]) == []
    for one in every:
        if one.name in policy.quasi_identifiers:
            policy.quasi_identifiers[one.name].tabulate(one.name, one.values)


def test_no_cell_value_is_in_the_draft():
    text = draft_policy(
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


def test_whole_numbers_have_whole_bands_of_two_or_more():
    assert drafted(facts("children", [1, 2])).quasi_identifiers["children"] == flat()
    assert drafted(facts("age", ["1", "2"])).quasi_identifiers["age"] == flat()
    assert drafted(facts("rooms", [1, 2, 5])).quasi_identifiers["rooms"] == bands(2, 4)
    assert drafted(facts("hour", list(range(21)) * 2)).quasi_identifiers["hour"] == bands(2, 4, 8)
    assert drafted(facts("dose", [0.5, 1.5])).quasi_identifiers["dose"] == bands(0.05, 0.1, 0.2)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=15, unique=True))
def test_no_whole_number_is_put_in_a_band_of_less_than_two(values):
    policy = drafted(facts("size", values))
    widths = policy.quasi_identifiers["size"].to_dict().get("bands", [])
    assert all(isinstance(width, int) and width >= 2 for width in widths)


def test_names_are_understood_in_german_french_and_spanish():
    many = [f"N{i}" for i in range(ROWS)]
    policy = drafted(
        *(facts(name, SEXES) for name in ("Vorname", "Prénom", "primer_apellido", "Teléfono")),
        *(facts(name, many) for name in ("Nom", "nombre", "Straße")),
        *(facts(name, AGES) for name in ("Gehalt", "salaire_net", "Salario", "sueldo")),
        *(facts(name, SEXES) for name in ("Diagnose", "maladie", "Diagnóstico", "enfermedad")),
        *(facts(name, AGES) for name in ("Postleitzahl", "code_postal", "Código Postal")),
    )
    assert len(policy.identifiers) == 7
    assert len(policy.sensitive) == 8
    assert set(policy.quasi_identifiers.values()) == {prefix()}
