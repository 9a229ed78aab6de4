"""Risk, against counting by hand."""

from collections import Counter

import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import given, settings

import lookalike as la

ROWS = st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=1, max_size=40)


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_risk_is_what_counting_by_hand_gives(rows):
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate("xyz")})
    risk = la.risk(table, ["x", "y", "z"])
    sizes = Counter(rows)
    assert risk.rows == len(rows)
    assert risk.classes == len(sizes)
    assert risk.unique == sum(n == 1 for n in sizes.values())
    assert risk.smallest == min(sizes.values())
    assert risk.highest == 1 / min(sizes.values())
    assert risk.mean == pytest.approx(sum(1 / sizes[row] for row in rows) / len(rows))
    assert risk.under(5) == sum(n for n in sizes.values() if n < 5)
    assert sum(bar.rows for bar in risk.histogram) == len(rows)
    for column in risk.columns:
        at = "xyz".index(column.name)
        without = Counter(row[:at] + row[at + 1 :] for row in rows)
        assert column.unique_without == sum(n == 1 for n in without.values())
        assert column.values == len({row[at] for row in rows})


def test_an_empty_table_has_no_risk():
    risk = la.risk(pa.table({"x": pa.array([], pa.string())}), ["x"])
    assert (risk.rows, risk.unique, risk.highest, risk.mean) == (0, 0, 0.0, 0.0)


def test_one_column_alone():
    risk = la.risk(pa.table({"x": ["a", "b", "b"]}), ["x"])
    assert risk.columns[0].unique_without == 0


@pytest.mark.parametrize("columns", [[], "x"])
def test_columns_must_be_a_list(columns):
    with pytest.raises(la.PolicyError, match="name columns"):
        la.risk(pa.table({"x": ["a"]}), columns)


def test_a_column_named_twice_counts_once():
    table = pa.table({"x": ["a", "b", "b"], "y": ["c", "c", "d"]})
    twice = la.risk(table, ["x", "y", "x"], combinations=True)
    assert twice == la.risk(table, ["x", "y"], combinations=True)


def test_an_unknown_column_is_named():
    with pytest.raises(la.TableError, match="nope"):
        la.risk(pa.table({"x": ["a"]}), ["nope"])
