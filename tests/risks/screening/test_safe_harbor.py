"""HIPAA Safe Harbor: each identifier is suspected where it is planted, and cells are not shown."""

import datetime

import pyarrow as pa
import pytest

from lookalike.risks.screening.hipaa_identifiers import IDENTIFIERS, RESTRICTED_2000
from lookalike.risks.screening.safe_harbor import check_safe_harbor

TODAY = datetime.date(2025, 6, 1)


def found(**columns):
    table = pa.table({name.replace("_", " "): cells for name, cells in columns.items()})
    return [(one.letter, one.rows) for one in check_safe_harbor(table, today=TODAY).findings]


def test_there_are_eighteen_identifiers_and_seventeen_small_areas():
    assert "".join(one.letter for one in IDENTIFIERS) == "ABCDEFGHIJKLMNOPQR"
    assert len(RESTRICTED_2000) == 17
    assert {"036", "059", "893"} <= RESTRICTED_2000


@pytest.mark.parametrize(
    ("letter", "cell"),
    [
        ("D", "(617) 555-0123"),
        ("D", "call 617-555-0123 at night"),
        ("F", "who@clinic.example.org"),
        ("G", "123-45-6789"),
        ("J", "DE89 3704 0044 0532 0130 00"),
        ("M", "00:1b:44:11:3a:b7"),
        ("N", "see https://example.org/me"),
        ("O", "192.168.17.4"),
        ("Q", "scan_004.jpg"),
        ("C", "1999-12-31"),
        ("C", "1999-12"),
        ("C", "31.12.1999"),
        ("C", "12/31/99"),
        ("C", "Dec 31, 1999"),
        ("C", "2020-01-01T10:00:00"),
        ("C", "was seen on 3/4/2020."),
    ],
)
def test_values_that_look_like_an_identifier(letter, cell):
    assert found(x=[cell, cell, "-", None]) == [(letter, 2)]


@pytest.mark.parametrize(
    "cell",
    [
        "1.2345",
        "1234.5",
        "1999",
        "2024-25",
        "[1990, 1995)",
        "blood type A",
        "12-34",
        "3:45",
        "1.2.3",
    ],
)
def test_values_that_look_like_none(cell):
    assert found(x=[cell, cell, cell]) == []


@pytest.mark.parametrize(
    ("letter", "name"),
    [
        ("A", "LastName"), ("A", "patient name"), ("B", "county"), ("B", "home address"),
        ("D", "phone"), ("E", "fax"), ("F", "e-mail"), ("G", "SSN"), ("H", "MRN"),
        ("H", "patient_id"), ("I", "member id"), ("J", "account"), ("K", "driverLicense"),
        ("L", "VIN"), ("M", "serial_number"), ("N", "url"), ("O", "ip"), ("P", "fingerprint"),
        ("Q", "photo"), ("R", "uuid"),
    ],
)  # fmt: skip
def test_names_that_say_an_identifier(letter, name):
    table = pa.table({name: ["q", "r", "q"]})
    assert [(f.letter, f.rows) for f in check_safe_harbor(table, today=TODAY).findings] == [
        (letter, 3)
    ]


def test_postal_codes():
    assert found(zip=["02139", "02139", "94110-1234"]) == [("B", 3)]
    assert found(zip=[2139, 94110]) == [("B", 2)]
    assert found(zip=["036", "941", "941"]) == [("B", 1)]  # a small area of the census of 2000
    assert found(zip=[36, 941, 941]) == [("B", 1)]
    assert found(zip=["021", "941"]) == [("B", 2)]  # how many live there is not known
    assert found(zip=["021**", "941**"]) == [("B", 2)]
    assert found(zip=["02***", "*"]) == []
    assert found(postcode=["SW1A 1AA", "EC1V 9HX"]) == [("B", 2)]


def test_what_is_said_of_three_digits_names_the_census():
    table = pa.table({"zip": ["036", "941"]})
    (one,) = check_safe_harbor(table).findings
    assert "2000" in one.why
    assert "20,000" in one.advice
    assert "the table does not show" in one.advice


def test_ages_and_years_of_birth():
    assert found(age=[89, 34, 12]) == []
    assert found(age=[90, 101, 12, 90]) == [("C", 3)]
    assert found(wage=[900, 1200]) == []
    assert found(birth_year=[1990, 1934, 1935]) == [("C", 2)]
    assert found(birth_year=[1990, 1936]) == []
    assert found(visit=[datetime.date(2020, 1, 1), None]) == [("C", 1)]


def test_free_text_and_codes_of_their_own():
    note = "the patient said that she had been unwell for some days already"
    assert found(note=[note, note + ".", "none"]) == [("R", 2)]
    assert found(code=[f"Q{i:04}X" for i in range(40)]) == [("R", 40)]


def test_an_identifier_is_reported_once_per_column_without_cells():
    secret = "xanthippe@agora.example"
    checked = check_safe_harbor(pa.table({"email": [secret, secret], "sex": ["f", "m"]}))
    assert [(one.column, one.letter) for one in checked.findings] == [("email", "F")]
    assert "xanthippe" not in repr(checked)
    assert "not legal advice" in checked.caution
    assert "can miss identifiers" in checked.caution


def test_an_empty_column_is_no_finding():
    assert found(phone=pa.array([None, None], pa.string())) == []
