"""The peculiarities of pandas, polars and pyarrow."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from table_examples import as_text, plan

from lookalike.errors import TableError
from lookalike.tables import open_table


def counts(frame, name="x"):
    freq = open_table(frame).count_groups((name,))
    return dict(zip(freq.values[0], freq.counts.tolist(), strict=True))


def column(values, **options):
    return pd.DataFrame({"x": pd.Series(values, **options)})


def test_mixed_objects_are_compared_as_text():
    mixed = [1, "1", 1.0, 2.5, True, None, float("nan"), pd.NA, datetime.date(2020, 1, 1)]
    assert counts(column(mixed, dtype=object)) == {
        "1": 3,
        "2.5": 1,
        "2020-01-01": 1,
        "true": 1,
        None: 3,
    }


def test_mixed_objects_keep_their_values_when_kept():
    mixed = [b"z", "1", (2,), None]
    frame = pd.DataFrame({"q": ["a"] * 4, "x": pd.Series(mixed, dtype=object)})
    table = open_table(frame)
    result = table.edit(plan(table, ("q", "x"), {"q": str})).native()
    assert sorted(map(repr, result["x"])) == sorted(map(repr, mixed))
    assert result["x"].dtype == object


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, None], int),
        (["a", None], str),
        ([True, None], bool),
        ([datetime.date(2020, 1, 1), None], datetime.date),
        ([datetime.time(1), None], datetime.time),
        ([Decimal("1.50"), None], Decimal),
        ([1.5, None], float),
    ],
)
def test_objects_of_one_type_keep_it(values, kind):
    found = counts(column(values, dtype=object))
    assert found == {values[0]: 1, None: 1}
    assert {type(value) for value in found} == {kind, type(None)}


def test_objects_that_fit_no_type_are_text():
    assert counts(column([2**70, 2**70], dtype=object)) == {str(2**70): 2}
    day_and_moment = [datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 5)]
    assert counts(column(day_and_moment, dtype=object)) == {
        "2020-01-01": 1,
        "2020-01-01T05:00:00": 1,
    }
    assert counts(column([1 + 2j, 1 + 2j])) == {"(1+2j)": 2}
    assert counts(column(pd.period_range("2020-01", periods=2, freq="M"))) == {
        "2020-01": 1,
        "2020-02": 1,
    }


@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]", "Int8"])
def test_nullable_integers_stay_integers(dtype):
    assert counts(column([1, None, 1], dtype=dtype)) == {1: 2, None: 1}


def test_ints_with_nulls_arrive_as_floats_and_count_as_such():
    assert counts(column([39, None])) == {39.0: 1, None: 1}


@pytest.mark.parametrize("values", [["b", "a", None, "b"], [2, 1, None, 2]])
def test_categories_count_as_their_values(values):
    frame = column(values, dtype="category")
    assert counts(frame) == {values[0]: 2, values[1]: 1, None: 1}
    table = open_table(frame)
    kept = table.edit(plan(table, ("x",), {"x": None})).native()
    assert kept["x"].dtype == frame["x"].dtype
    assert kept["x"].tolist()[:3] == sorted([values[0], values[1], values[0]])
    labeled = table.edit(plan(table, ("x",), {"x": lambda v: v and "y"})).native()
    assert labeled["x"].dtype == pd.Series(["y"]).dtype


def test_polars_categories_enums_and_objects():
    for dtype in (pl.Categorical, pl.Enum(["b", "a"])):
        frame = pl.DataFrame({"x": pl.Series(["b", "a", None, "b"], dtype=dtype)})
        assert counts(frame) == {"a": 1, "b": 2, None: 1}
        table = open_table(frame)
        kept = table.edit(plan(table, ("x",), {"x": None})).native()
        assert kept["x"].dtype == frame["x"].dtype
    frame = pl.DataFrame({"x": pl.Series([1, "1", None], dtype=pl.Object)})
    assert counts(frame) == {"1": 2, None: 1}


def test_lists_and_structs_are_sorted_by_their_text():
    frame = pl.DataFrame({"q": ["a"] * 3, "l": [[2], [1, 1], None], "s": [{"a": i} for i in "cab"]})
    table = open_table(frame)
    result = table.edit(plan(table, ("q", "l", "s"), {"q": str})).native()
    assert result["l"].to_list() == [[1, 1], [2], None]
    assert result["s"].to_list() == [{"a": "a"}, {"a": "c"}, {"a": "b"}]
    assert result.schema == frame.schema


def test_arrow_dictionaries_and_rare_types():
    assert counts(pa.table({"x": pa.array(["a", None]).dictionary_encode()})) == {"a": 1, None: 1}
    assert counts(pa.table({"x": pa.array([5, 5]).dictionary_encode()})) == {5: 2}
    assert counts(pa.table({"x": pa.array([0.5], pa.float16())})) == {0.5: 1}
    big = pa.array([Decimal("1.5")], pa.decimal256(50, 1))
    assert counts(pa.table({"x": big})) == {"1.5": 1}
    for kind in (pa.large_string(), pa.string_view()):
        assert counts(pa.table({"x": pa.array(["a"], kind)})) == {"a": 1}
    assert counts(pa.table({"x": pa.nulls(2)})) == {None: 2}
    chunks = pa.chunked_array([["a"], [], ["a", "b"]])
    assert counts(pa.table({"x": chunks})) == {"a": 2, "b": 1}


def test_durations_and_time_zones_of_pandas():
    moments = pd.Series(pd.to_datetime(["2020-01-01", None])).dt.tz_localize("Europe/Paris")
    expected = datetime.datetime(2019, 12, 31, 23, tzinfo=datetime.UTC)
    assert counts(pd.DataFrame({"x": moments})) == {expected: 1, None: 1}
    assert counts(column(pd.to_timedelta(["1h", "1h"]))) == {"01:00:00": 2}


def test_nan_stays_nan_in_a_kept_column():
    frame = pl.DataFrame({"q": ["a"] * 3, "x": [float("nan"), None, 1.0]})
    table = open_table(frame)
    result = table.edit(plan(table, ("q", "x"), {"q": str})).native()
    assert result["x"].is_nan().sum() == 1
    assert result["x"].null_count() == 1
    assert [row[1] for row in as_text(open_table(result))] == ["1.0", None, None]


def test_names_that_occur_twice_or_are_no_text():
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(TableError, match="columns 1 and 2 have the same name"):
        open_table(twice)
    with pytest.raises(TableError, match="not text but int") as raised:
        open_table(pd.DataFrame([[1, 2]]))
    assert len(raised.value.faults) == 2
    with pytest.raises(TableError, match="not text but tuple"):
        open_table(pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])))
    with pytest.raises(TableError, match="same name"):
        open_table(pa.table([[1], [2]], names=["a", "a"]))
    with pytest.raises(TableError, match="case only"):
        open_table(pl.DataFrame({"age": [1], "Age": [2]}))
    with pytest.raises(TableError, match="no columns"):
        open_table(pd.DataFrame())
    with pytest.raises(TableError, match="column 1 has no name"):
        open_table(pl.DataFrame({"": [1]}))


def test_a_lazy_query_that_fails_is_a_fault_without_values():
    lazy = pl.DataFrame({"x": ["secret"]}).lazy().select(pl.col("x").cast(pl.Int64))
    with pytest.raises(TableError, match="query fails") as raised:
        open_table(lazy)
    assert "secret" not in str(raised.value)


def test_text_that_is_not_unicode_is_a_fault():
    with pytest.raises(TableError, match="Unicode"):
        counts(column(["\ud800"], dtype=object))


def test_the_caller_s_frame_is_untouched():
    frame = pd.DataFrame({"q": ["b", "a"], "x": np.array([1.0, -0.0])})
    before = frame.copy()
    table = open_table(frame)
    table.edit(plan(table, ("x", "q"), {"q": str}))
    pd.testing.assert_frame_equal(frame, before)
