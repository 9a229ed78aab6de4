"""Kept identifiers are found by content or by name; ordinary columns are not taken for them."""

import datetime
import random

import pyarrow as pa
import pytest

from lookalike.risks.kept_columns.coded_table import CodedTable
from lookalike.risks.kept_columns.kept_identifiers import find_kept_identifiers
from lookalike.tables.open import open_table

ROWS = 400
RNG = random.Random(11)
FIRST = ["Ann", "Bob", "Carla", "Dan", "Eve", "Fritz", "Gina", "Hugo", "Ida", "Jan", "Kim", "Lea"]
LAST = ["Smith", "Jones", "Miller", "Weber", "Rossi", "Novak", "Silva", "Berg", "Ito", "Park"]
WORDS = ["old pain", "new rash", "no fever", "much better", "still weak"]
PEOPLE = [f"{first} {last}" for first in FIRST for last in LAST]


def found(name, cells, k=5):
    table = open_table(pa.table({name: cells}))
    coded = CodedTable.of(table.count_groups((name,)))
    return find_kept_identifiers(coded, (name,), table.types, k)


def some(make):
    return [make() for _ in range(ROWS)]


def digits(number):
    return "".join(RNG.choice("0123456789") for _ in range(number))


@pytest.mark.parametrize(
    ("name", "cells", "what"),
    [
        ("x", [f"{i}@example.org" for i in range(ROWS)], "electronic mail"),
        ("x", ["none"] * 399 + ["ask ann@example.org"], "electronic mail"),
        ("x", some(lambda: f"({RNG.randint(200, 900)}) 555-0123"), "telephone"),
        ("x", some(lambda: f"+49 170 {digits(7)}"), "telephone"),
        ("x", some(lambda: "123-45-6789"), "social security"),
        ("x", some(lambda: f"192.168.{RNG.randint(0, 255)}.7"), "Internet Protocol"),
        ("surname", some(lambda: f"{RNG.choice(LAST)}{digits(2)}"), "names"),
        ("patient_name", some(lambda: RNG.choice(PEOPLE)), "names"),
        ("x", some(lambda: RNG.choice(PEOPLE)), "names"),
        ("MRN", some(lambda: RNG.randint(1, 9999)), "medical record"),
        ("x", list(range(7000, 7000 + ROWS)), "record numbers"),
        ("x", RNG.sample(range(3000), ROWS), "record numbers"),
        ("x", RNG.sample(range(10**8, 10**9), ROWS), "record numbers"),
        ("x", [i // 2 for i in range(ROWS)], "record numbers"),
        ("patient_id", [RNG.randrange(200) for _ in range(ROWS)], "medical record"),
        ("x", some(lambda: f"Q{digits(6)}"), "an identifier"),
        ("x", some(lambda: digits(8)), "an identifier"),
        ("note", some(lambda: f"the patient {digits(3)} said that she felt ill since May"), "text"),
        ("note", some(lambda: f"{RNG.choice(WORDS)} {RNG.choice(WORDS)} {digits(4)}"), "free text"),
        ("x", ["none"] * 399 + ["seen by Dr. Clara Braun"], "names"),
        ("x", ["flu", "cold"] * 199 + ["Mrs Weber", "ask Prof. J. Novak"], "names"),
        ("home_address", some(lambda: f"{RNG.randint(1, 300)} High Street"), "addresses"),
        ("latitude", some(lambda: RNG.uniform(40, 50)), "addresses and coordinates"),
    ],
)
def test_an_identifier_is_found(name, cells, what):
    (finding,) = found(name, cells)
    assert finding.columns == (name,)
    assert finding.refuses
    assert 0 < finding.rows <= ROWS
    assert what in finding.sentence


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("sex", some(lambda: RNG.choice("fm"))),
        ("age", some(lambda: RNG.randint(18, 90))),
        ("blood_pressure", some(lambda: RNG.gauss(120, 20))),
        ("income", some(lambda: round(RNG.lognormvariate(10, 1), 2))),
        ("income", some(lambda: round(RNG.lognormvariate(10, 1)))),
        ("weight", some(lambda: RNG.randint(10_000, 1_000_000))),
        ("year", some(lambda: RNG.randint(1980, 2020))),
        ("phone", some(lambda: RNG.choice(["yes", "no"]))),
        ("phones", some(lambda: RNG.randint(0, 4))),
        ("phone", some(lambda: RNG.randint(0, 4))),
        ("ward_name", some(lambda: RNG.choice(["North", "South", "East"]))),
        ("diagnosis", some(lambda: f"{RNG.choice('ABC')}{RNG.randint(10, 40)}")),
        ("visit", [datetime.date(2020, 1, 1) + datetime.timedelta(i) for i in range(ROWS)]),
        ("lab_result", some(lambda: RNG.gauss(5, 1))),
        ("account_balance", some(lambda: round(RNG.gauss(5000, 1000), 2))),
        ("ip_days", some(lambda: RNG.randint(0, 900))),
        ("cancer_no", [1, 4, 9]),
        ("version", some(lambda: RNG.choice(["1.2.3", "1.2.4"]))),
        ("empty", pa.array([None] * ROWS, pa.string())),
        ("yes", some(lambda: RNG.random() < 0.5)),
        ("answer", some(lambda: RNG.choice(["not at all well", "quite well now", "very well"]))),
        ("doctor", some(lambda: RNG.choice(["Dr. Braun", "Dr. Berg"]))),
        ("dose", some(lambda: RNG.choice(["Dr", "Mr", "Fr"]) + digits(2))),
    ],
)
def test_an_ordinary_column_is_not_an_identifier(name, cells):
    assert [finding.sentence for finding in found(name, cells)] == []


def test_the_years_of_a_time_series_are_not_record_numbers():
    assert found("year", list(range(1900, 2000))) == []
    assert found("t", list(range(1900, 2000))) == []
