"""Every kind of table counts the same."""

from __future__ import annotations

import collections
import datetime
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from table_examples import AWKWARD, people, typed

from lookalike.errors import TableError
from lookalike.policy.cell_text import is_null, text
from lookalike.tables import open_table

NAMES = ("age", AWKWARD, "select", "born")


def plainly(table, names):
    """What to expect, from a loop over the rows."""
    cells = zip(*(table.column(name).to_pylist() for name in names), strict=True)
    return collections.Counter(tuple(None if is_null(v) else v for v in row) for row in cells)


def found(freq):
    return {
        tuple(values[code] for values, code in zip(freq.values, codes, strict=True)): count
        for codes, count in zip(freq.codes.tolist(), freq.counts.tolist(), strict=True)
    }


def shown(counts):
    """As text, for CSV."""
    return {
        tuple(None if v is None else text(v) for v in row): count for row, count in counts.items()
    }


def test_groups_are_those_of_a_loop_over_the_rows(opened, kind):
    freq = opened(people()).count_groups(NAMES)
    expected = plainly(people(), NAMES)
    if kind == "csv":
        assert shown(found(freq)) == shown(expected)
    else:
        assert found(freq) == expected
    assert freq.rows == 10
    assert freq.codes.dtype == np.int32
    assert freq.counts.dtype == np.int64


def test_values_are_native_python(opened, kind):
    if kind == "csv":
        pytest.skip("CSV holds text only")
    names = ("int", "float", "date", "bool", "decimal", "text", "us")
    values = opened(typed()).count_groups(names).values
    kinds = [{type(v) for v in column if v is not None} for column in values]
    assert kinds == [{int}, {float}, {datetime.date}, {bool}, {Decimal}, {str}, {datetime.datetime}]


def test_fingerprint_is_the_same_in_every_kind(opened):
    here = opened(people()).count_groups(("age", AWKWARD, "born")).fingerprint()
    assert here == open_table(people()).count_groups(("age", AWKWARD, "born")).fingerprint()


def test_the_order_of_rows_leaves_no_trace(opened):
    table = people()
    other = table.take(pa.array([3, 9, 0, 1, 8, 2, 7, 6, 5, 4]))
    one = opened(table).count_groups(NAMES, ("sick", "cost"))
    two = opened(other).count_groups(NAMES, ("sick", "cost"))
    assert one.values == two.values
    assert np.array_equal(one.codes, two.codes)
    assert np.array_equal(one.counts, two.counts)
    for name in ("sick", "cost"):
        left, right = one.sensitive[name], two.sensitive[name]
        assert left.values == right.values
        assert np.array_equal(left.dense(one.groups), right.dense(two.groups))


def test_histograms_line_up_with_the_groups(opened, kind):
    freq = opened(people()).count_groups(("age", "select"), ("sick",))
    histogram = freq.sensitive["sick"]
    spread = collections.Counter()
    for group, code, count in zip(histogram.group, histogram.code, histogram.count, strict=True):
        tuple_ = (freq.values[0][freq.codes[group, 0]], freq.values[1][freq.codes[group, 1]])
        spread[(*tuple_, histogram.values[code])] += int(count)
    expected = plainly(people(), ("age", "select", "sick"))
    assert (shown(spread) if kind == "csv" else spread) == (
        shown(expected) if kind == "csv" else expected
    )
    assert np.array_equal(histogram.dense(freq.groups).sum(axis=1), freq.counts)


def test_nan_is_null_and_minus_zero_is_zero(opened, kind):
    freq = opened(people()).count_groups(("cost",))
    values = freq.values[0]
    counts = dict(zip(values, freq.counts.tolist(), strict=True))
    zero = "0.0" if kind == "csv" else 0.0
    assert counts[None] == 2
    assert counts[zero] == 2
    assert values[-1] is None  # null is last


def test_no_names_is_one_group_of_all_rows(opened):
    freq = opened(people()).count_groups((), ("sick",))
    assert freq.counts.tolist() == [10]
    assert freq.codes.shape == (1, 0)
    assert freq.sensitive["sick"].count.sum() == 10


@pytest.mark.parametrize("rows", [0, 1])
def test_tables_of_no_row_and_of_one(opened, rows):
    table = opened(people().slice(0, rows))
    freq = table.count_groups(NAMES, ("sick",))
    assert (table.rows(), freq.groups, freq.rows) == (rows, rows, rows)
    assert freq.sensitive["sick"].count.sum() == rows
    assert table.distinct_text(NAMES).num_rows == rows
    assert open_table(table) is table
    assert table.count_groups(()).groups == rows


def test_unknown_columns_are_all_named(opened):
    with pytest.raises(TableError) as raised:
        opened(people()).count_groups(("age", "ill"), ("hurt",))
    assert [fault.where for fault in raised.value.faults] == ["ill", "hurt"]
    with pytest.raises(TableError, match="ill"):
        opened(people()).distinct_text(("ill",))


def test_kind_name_columns_types(opened, kind):
    table = opened(people())
    assert table.kind == kind
    assert table.columns == tuple(people().column_names)
    assert list(table.types) == list(table.columns)
    assert table.rows() == 10


def test_text_of_a_frame_is_that_of_its_files(opened, tmp_path):
    """The promise the verifier rests on: ints, floats, dates, times, NaN, quotes, empties."""
    table = opened(typed())
    names = typed().column_names
    here = sorted(map(repr, table.distinct_text(names).to_pylist()))
    for suffix in ("csv", "parquet"):
        path = tmp_path / f"written.{suffix}"
        table.write(path)
        there = open_table(path)
        assert there.columns == tuple(names)
        assert sorted(map(repr, there.distinct_text(names).to_pylist())) == here, suffix


def test_text_is_the_same_in_every_kind(opened):
    names = typed().column_names
    expected = sorted(map(repr, open_table(typed()).distinct_text(names).to_pylist()))
    assert sorted(map(repr, opened(typed()).distinct_text(names).to_pylist())) == expected


def test_distinct_text_has_the_agreed_form(opened):
    answer = opened(people()).distinct_text(("sick", "age"))
    assert answer.column_names == ["c0", "c1", "count"]
    assert answer.schema.types == [pa.string(), pa.string(), pa.int64()]
    assert sum(answer.column("count").to_pylist()) == 10
    assert ("", "31", 1) in [tuple(row.values()) for row in answer.to_pylist()]


def test_each_text_has_the_place_of_its_value(opened):
    for source, names in ((people(), ("age", AWKWARD, "cost")), (typed(), ("zoned", "single"))):
        table = opened(source)
        for name in names:
            values = table.count_groups((name,)).values[0]
            places = table.text_codes(name)
            shown = table.distinct_text((name,))["c0"].to_pylist()
            assert set(places) == set(shown)
            assert sorted(places.values()) == list(range(len(values)))
            assert all((text is None) == (values[at] is None) for text, at in places.items())
            if all(isinstance(value, str) for value in values if value is not None):
                assert all(values[at] == text for text, at in places.items())


def test_nan_is_found_though_the_statistics_of_parquet_leave_it_out(tmp_path):
    column = [1.0, 2.0, float("nan"), None]
    for kind in (pa.float64(), pa.float32()):
        pq.write_table(pa.table({"x": pa.array(column, kind)}), tmp_path / "x.parquet")
        relation = duckdb.connect().read_parquet(str(tmp_path / "x.parquet"))
        for source in (tmp_path / "x.parquet", relation):
            freq = open_table(source).count_groups(("x",))
            assert freq.values == ((1.0, 2.0, None),)
            assert freq.counts.tolist() == [1, 1, 2]
    infinite = pa.table({"x": [float("inf"), float("-inf"), float("nan")]})
    pq.write_table(infinite, tmp_path / "i.parquet")
    for source in (infinite, tmp_path / "i.parquet"):
        freq = open_table(source).count_groups(("x",))
        assert freq.values == ((float("-inf"), float("inf"), None),)


def test_more_columns_than_fit_one_integer():
    """Past 2^63 the sort falls back; the groups must not change."""
    rng = np.random.default_rng(1)
    table = pa.table({f"c{i}": rng.permutation(50) for i in range(12)})
    freq = open_table(table).count_groups(table.column_names)
    assert found(freq) == plainly(table, table.column_names)
    assert freq.codes.tolist() == sorted(freq.codes.tolist())


def test_times_finer_than_python_holds_are_a_fault():
    table = pa.table({"t": pa.array([1], pa.timestamp("ns"))})
    with pytest.raises(TableError, match="microsecond"):
        open_table(table).count_groups(("t",))


def test_dates_beyond_python_are_a_fault():
    relation = duckdb.connect().sql("SELECT DATE 'infinity' AS d")
    with pytest.raises(TableError, match="infinity"):
        open_table(relation).count_groups(("d",))


def test_upper_and_lower_case_differ_in_any_collation():
    own = duckdb.connect()
    own.execute("CREATE TABLE p (x VARCHAR COLLATE NOCASE, y VARCHAR)")
    own.execute("INSERT INTO p VALUES ('a', 'b'), ('A', 'B')")
    own.execute("SET default_collation = 'nocase'")
    table = open_table(own.table("p"))
    assert table.count_groups(("x",)).groups == 2
    assert table.count_groups(("y",)).groups == 2
    assert table.distinct_text(("x", "y")).num_rows == 2


def test_unusual_types_count_as_text():
    relation = duckdb.connect().sql(
        "SELECT i::HUGEINT AS h, [i] AS l, {'a': i} AS s, INTERVAL (i) DAY AS v, "
        "(i % 2)::VARCHAR::ENUM('0', '1') AS e, 'x'::BLOB AS b FROM range(3) r(i)"
    )
    freq = open_table(relation).count_groups(relation.columns)
    assert freq.values[0] == ("0", "1", "2")
    assert freq.values[1] == ("[0]", "[1]", "[2]")
    assert freq.values[4] == ("0", "1")


def test_zoned_times_are_utc_on_any_connection():
    own = duckdb.connect()
    own.execute("SET TimeZone = 'Asia/Tokyo'")
    relation = own.sql("SELECT TIMESTAMPTZ '2020-01-01 00:00:00+00' AS t")
    moment = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    assert open_table(relation).count_groups(("t",)).values == ((moment,),)
    assert open_table(relation).distinct_text(("t",))["c0"].to_pylist() == [
        "2020-01-01 00:00:00+00"
    ]


def test_single_floats_read_as_written():
    table = pa.table({"f": pa.array([0.1, -0.0], pa.float32())})
    assert open_table(table).count_groups(("f",)).values == ((0.0, 0.1),)


def test_many_rows_and_groups():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"c{i}": rng.integers(0, 9, 200_000) for i in range(8)})
    freq = open_table(frame).count_groups(frame.columns[:7], ("c7",))
    pairs = frame.groupby(list(frame.columns[:7])).size()
    assert freq.counts.tolist() == pairs.tolist()  # pandas sorts its groups, too
    assert len(freq.sensitive["c7"].count) == len(frame.drop_duplicates())


def test_a_part_of_the_groups_has_each_of_them_with_all_its_rows(opened):
    table = pa.table({"a": [f"v{i % 997}" for i in range(3000)], "b": list(range(3000))})
    whole = opened(table)
    for names in (("a",), ("a", "b")):
        every = found(whole.count_groups(names))
        assert found(whole.sample_groups(names, 1)) == every
        part = found(whole.sample_groups(names, 4))
        assert part.items() <= every.items()
        assert len(every) / 8 < len(part) < len(every) / 2
        assert found(whole.sample_groups(names, 4)) == part
