"""Prosecutor, journalist and marketer, against counting row by row."""

from collections import Counter

import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import given, settings

import lookalike as la

CELLS = st.tuples(st.sampled_from("ab"), st.sampled_from("pqr"))
ROWS = st.lists(CELLS, min_size=1, max_size=25)


def table(rows):
    return pa.table({"x": [row[0] for row in rows], "y": [row[1] for row in rows]})


@settings(max_examples=60, deadline=None)
@given(ROWS, st.lists(CELLS, max_size=60), st.sampled_from([0.09, 0.2, 0.5, 1.0]))
def test_risks_are_those_of_each_row(rows, others, threshold):
    everybody = rows + others  # the table is part of its population
    risk = la.risk(table(rows), ["x", "y"], population=table(everybody), threshold=threshold)
    ours, theirs = Counter(rows), Counter(everybody)
    for found, sizes in ((risk.prosecutor, ours), (risk.journalist, theirs)):
        each = [1 / sizes[row] for row in rows]
        assert found.highest == max(each)
        assert found.mean == pytest.approx(sum(each) / len(rows))
        assert found.above == pytest.approx(sum(one > threshold for one in each) / len(rows))
    assert risk.marketer == pytest.approx(sum(n / theirs[c] for c, n in ours.items()) / len(rows))
    assert risk.population.people == len(everybody)
    assert risk.population.unique == sum(theirs[row] == 1 for row in rows)
    assert risk.population.missing == 0
    assert risk.journalist.highest <= risk.prosecutor.highest
    assert (risk.highest, risk.mean) == (
        risk.prosecutor.highest,
        pytest.approx(risk.prosecutor.mean),
    )


def test_without_a_population_the_table_is_taken_for_it():
    risk = la.risk(pa.table({"x": ["a", "b", "b"]}), ["x"])
    assert risk.population is None
    assert risk.journalist == risk.prosecutor
    assert risk.marketer == pytest.approx(risk.classes / risk.rows)
    assert risk.threshold == 0.09


def test_people_may_be_counted_by_a_column():
    people = pa.table({"x": ["a", "a", "b"], "n": [10, 30, 2]})
    risk = la.risk(pa.table({"x": ["a", "b"]}), ["x"], population=people, population_count="n")
    assert risk.population.people == 42
    assert risk.journalist.highest == 1 / 2
    assert risk.journalist.mean == pytest.approx((1 / 40 + 1 / 2) / 2)


def test_cells_are_matched_by_their_text_and_null_by_null():
    ours = pa.table({"x": pa.array([1.0, None, 7.0])})
    theirs = pa.table({"x": ["1", "1", None, None, None, "07"]})
    risk = la.risk(ours, ["x"], population=theirs)
    assert risk.journalist.mean == pytest.approx((1 / 2 + 1 / 3 + 1) / 3)
    assert risk.population.missing == 1


def test_people_missing_in_the_population_keep_the_prosecutors_risk():
    risk = la.risk(pa.table({"x": ["a", "a", "b"]}), ["x"], population=pa.table({"x": ["a", "c"]}))
    assert risk.population.missing == 3
    assert risk.journalist == risk.prosecutor
    empty = pa.table({"x": pa.array([], pa.string())})
    assert la.risk(pa.table({"x": ["a"]}), ["x"], population=empty).population.missing == 1


def test_estimates_come_with_the_size_of_the_population():
    values = [*map(str, range(50)), *["many"] * 50]
    risk = la.risk(pa.table({"x": values}), ["x"], population_size=1000)
    assert risk.uniques.population == 1000
    assert 0 < risk.uniques.zayatz <= risk.uniques.ceiling == 500
    assert risk.uniques.shares == (risk.uniques.zayatz / 1000, risk.uniques.pitman / 1000)
    assert la.risk(pa.table({"x": values}), ["x"], sampling_fraction=0.1).uniques == risk.uniques
    whole = la.risk(pa.table({"x": values}), ["x"], sampling_fraction=1.0).uniques
    assert (whole.zayatz, whole.pitman) == (50, 50)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"threshold": 0}, "threshold"),
        ({"threshold": float("nan")}, "threshold"),
        ({"threshold": "high"}, "threshold"),
        ({"population_size": 1}, "fewer than the 2 rows"),
        ({"population_size": 0}, "population_size"),
        ({"sampling_fraction": 1.5}, "sampling_fraction"),
        ({"population_size": 9, "sampling_fraction": 0.5}, "give one of them"),
        ({"combinations": -1}, "combinations"),
        ({"combinations": 1.5}, "combinations"),
        ({"population_count": "n"}, "there is no population"),
        ({"population": pa.table({"y": ["SECRET"]})}, "no column x"),
        ({"population": pa.table({"x": ["SECRET"]}), "population_count": "n"}, "no such column"),
        ({"population": pa.table({"x": ["a"]}), "population_count": "x"}, "column to match by"),
        (
            {"population": pa.table({"x": ["a"], "n": ["SECRET"]}), "population_count": "n"},
            "1 of its 1 values are not a number",
        ),
        (
            {"population": pa.table({"x": ["a"], "n": [-1]}), "population_count": "n"},
            "1 of its 1 values are not a number",
        ),
    ],
)
def test_what_makes_no_sense_is_a_fault(options, said):
    with pytest.raises(la.PolicyError, match=said) as caught:
        la.risk(pa.table({"x": ["a", "b"]}), ["x"], **options)
    assert "SECRET" not in str(caught.value)
