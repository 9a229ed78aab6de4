"""The finder proposes what outsiders could know, with reasons, and leaves out what names people."""

import pyarrow as pa
import pytest

from lookalike.risks.screening.quasi_identifier_finder import propose_columns

ROWS = 60
TABLE = pa.table(
    {
        "patient_id": [f"P{i:05}" for i in range(ROWS)],
        "birth_date": [f"19{30 + i}-0{1 + i % 9}-1{i % 10}" for i in range(ROWS)],
        "zip": [f"021{i % 30:02}" for i in range(ROWS)],
        "sex": ["f" if i % 2 else "m" for i in range(ROWS)],
        "shoe": [str(i % 4) for i in range(ROWS)],
        "diagnosis": ["flu" if i % 3 else "cold" for i in range(ROWS)],
        "study": ["S1"] * ROWS,
    }
)


def test_columns_have_a_standing_and_reasons():
    proposal = propose_columns(TABLE)
    standing = {one.name: one.standing for one in proposal.columns}
    assert standing == {
        "birth_date": "likely",
        "zip": "likely",
        "sex": "likely",
        "shoe": "possible",
        "patient_id": "identifier",
        "diagnosis": "sensitive",
        "study": "constant",
    }
    assert proposal.names == ("birth_date", "zip", "sex", "shoe")
    assert all(one.reasons for one in proposal.columns)
    assert "P00001" not in repr(proposal)


def test_separation_is_that_of_the_column_nulls_as_one_value():
    table = pa.table({"sex": ["f", "f", None, None, "m"]})
    (one,) = propose_columns(table).columns
    assert one.separation == pytest.approx(1 - (2 + 2) / 20)
    assert one.distinction == 3 / 5


def test_an_empty_table_has_nothing_to_propose():
    assert propose_columns(pa.table({"x": pa.array([], pa.string())})).names == ()
