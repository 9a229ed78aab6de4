"""Every kind of table is edited the same, and comes back as it came."""

from __future__ import annotations

import dataclasses

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from table_examples import AWKWARD, as_text, people, plan, typed

from lookalike.errors import TableError
from lookalike.tables import ColumnRecoding, Edit, open_table

COLUMNS = (AWKWARD, "age", "cost", "sick", "select")


def decade(value):
    return None if value is None else f"{value[:-1]}0-{value[:-1]}9"


TO = {"age": decade, "select": None, AWKWARD: lambda _: "*"}


def key(row):
    return tuple((cell is None, cell or "") for cell in row)


def by_hand(star=False, fewer_than=3):
    """The release of people() from a loop over the rows."""
    table = open_table(people())
    names = people().column_names
    originals = [dict(zip(names, row, strict=True)) for row in as_text(table)]
    classes = [(decade(row["age"]), row["select"]) for row in originals]
    out = []
    for row, its in zip(originals, classes, strict=True):
        new = dict(row, age=its[0], **{AWKWARD: "*"})
        if classes.count(its) < fewer_than:
            if not star:
                continue
            new |= dict.fromkeys(TO, "*")
        out.append(tuple(new[name] for name in COLUMNS))
    return sorted(out, key=key)


@pytest.mark.parametrize("star", [False, True])
def test_the_release_is_that_of_a_loop_over_the_rows(opened, kind, star):
    table = opened(people())
    result = table.edit(plan(table, COLUMNS, TO, fewer_than=3, star=star))
    assert result.columns == COLUMNS
    assert result.kind == kind
    assert sorted(as_text(result), key=key) == by_hand(star)
    assert len(by_hand(star)) == (10 if star else 6)
    assert result.rows() == len(by_hand(star))


def test_a_frame_comes_back_as_the_kind_it_came_in(make, kind):
    source = make(people())
    table = open_table(source)
    result = table.edit(plan(table, COLUMNS, TO)).native()
    expected = pa.Table if kind in {"csv", "parquet"} else type(source)
    assert type(result) is expected
    assert list(getattr(result, "column_names", None) or pl_columns(result)) == list(COLUMNS)


def pl_columns(frame):
    return frame.collect_schema().names() if isinstance(frame, pl.LazyFrame) else frame.columns


def test_the_order_of_the_input_does_not_show(opened):
    shuffles = [np.random.default_rng(seed).permutation(10) for seed in range(3)]
    results = []
    for order in shuffles:
        table = opened(people().take(pa.array(order)))
        results.append(as_text(table.edit(plan(table, COLUMNS, TO, fewer_than=3, star=True))))
    assert results[0] == results[1] == results[2]


def test_rows_are_sorted_by_every_column_nulls_last(opened, kind):
    table = opened(people())
    result = as_text(table.edit(plan(table, ("age", "sick"), {"age": None})))
    assert result == sorted(result, key=key)
    assert [row[0] for row in result] == ["30"] * 3 + ["31"] * 2 + ["45"] * 3 + [None] * 2


def test_numbers_are_sorted_as_numbers(opened, kind):
    table = opened(pa.table({"q": ["a"] * 3, "n": [10, 9, 100]}))
    result = [row[1] for row in as_text(table.edit(plan(table, ("q", "n"), {"q": None})))]
    assert result == (["10", "100", "9"] if kind == "csv" else ["9", "10", "100"])


def test_null_may_have_a_label_and_a_label_may_be_null(opened):
    table = opened(people())
    to = {"age": lambda v: "none" if v is None else None, "select": lambda v: v}
    result = table.edit(plan(table, ("age", "select"), to))
    assert sorted(as_text(result), key=key) == [
        ("none", None),
        ("none", None),
        *[(None, "false")] * 2,
        *[(None, "true")] * 6,
    ]


def test_star_rows_are_stars_in_every_quasi_identifier_and_keep_the_rest(opened):
    table = opened(people())
    edit = plan(table, ("age", "select", "sick"), {"age": None, "select": None}, 3, star=True)
    result = as_text(table.edit(edit))
    starred = [row for row in result if row[0] == "*"]
    assert len(starred) == edit.rows_suppressed == 4
    assert {row[1] for row in starred} == {"*"}
    assert sorted(row[2] or "" for row in starred) == ["", "", "cold", "flu"]


def test_kept_columns_keep_type_and_values(make, kind):
    source = make(typed())
    table = open_table(source)
    names = tuple(typed().column_names)
    result = table.edit(plan(table, names, {"text": str, "int": None}))
    before, after = dict(table.types), dict(result.types)
    before.pop("text")
    after.pop("text")
    assert after == before
    kept = [name for name in names if name != "text"]
    one = table.distinct_text(kept).to_pylist()
    assert sorted(map(repr, result.distinct_text(kept).to_pylist())) == sorted(map(repr, one))


def test_labels_are_the_engines_plain_text(opened, kind):
    table = opened(people())
    for star in (False, True):
        result = table.edit(plan(table, COLUMNS, {"age": None, "select": str}, star=star))
        text = {"pandas": "str", "polars": "String", "polars-lazy": "String", "pyarrow": "string"}
        expected = text.get(kind, "VARCHAR")
        assert result.types["select"] == expected
        assert (result.types["age"] == expected) == (star or kind == "csv")


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("star", [False, True])
def test_no_row_and_one_row(opened, tmp_path, rows, star):
    table = opened(people().slice(0, rows))
    result = table.edit(plan(table, COLUMNS, TO, fewer_than=2, star=star))
    assert result.rows() == (rows if star else 0)
    assert result.columns == COLUMNS
    for suffix in ("csv", "parquet"):
        result.write(tmp_path / f"x.{suffix}")
        again = open_table(tmp_path / f"x.{suffix}")
        assert (again.columns, again.rows()) == (COLUMNS, result.rows())


def test_an_edit_without_quasi_identifiers_only_chooses_columns(opened):
    table = opened(people())
    result = table.edit(Edit(("sick",), {}, np.zeros((0, 0), np.int32), False, 10, 0))
    assert result.columns == ("sick",)
    assert result.rows() == 10


@pytest.mark.parametrize("field", ["rows_kept", "rows_suppressed"])
def test_rows_that_do_not_add_up_are_refused(opened, field):
    table = opened(people())
    edit = plan(table, COLUMNS, TO, fewer_than=3)
    wrong = dataclasses.replace(edit, **{field: getattr(edit, field) + 1})
    with pytest.raises(TableError, match="planned"):
        table.edit(wrong)


@pytest.mark.parametrize("lost", [None, 45])
def test_a_value_without_a_code_is_refused_and_not_shown(opened, lost):
    table = opened(people())
    edit = plan(table, COLUMNS, TO)
    old = edit.recodings["age"]
    stay = [i for i, v in enumerate(old.values) if str(v) != str(lost)]
    fewer = ColumnRecoding(tuple(old.values[i] for i in stay), old.codes[stay], old.labels)
    with pytest.raises(TableError, match="without a code") as raised:
        table.edit(dataclasses.replace(edit, recodings={**edit.recodings, "age": fewer}))
    assert "45" not in str(raised.value)


def test_values_of_another_type_are_refused(opened, kind):
    table = opened(people())
    edit = plan(table, COLUMNS, TO)
    odd = ColumnRecoding((object(),), np.zeros(1, np.int32), None)
    with pytest.raises(TableError, match="do not have the type"):
        table.edit(dataclasses.replace(edit, recodings={**edit.recodings, "age": odd}))


def test_our_own_mistakes_are_not_table_errors():
    table = open_table(people())
    edit = plan(table, COLUMNS, TO)
    with pytest.raises(ValueError, match="suppressed"):
        table.edit(dataclasses.replace(edit, suppressed=np.zeros((1, 1), np.int32)))
    twice = ColumnRecoding((None, float("nan"), 30), np.zeros(3, np.int32), None)
    with pytest.raises(ValueError, match="two codes"):
        table.edit(dataclasses.replace(edit, recodings={**edit.recodings, "age": twice}))
    short = ColumnRecoding((30, 31), np.zeros(1, np.int32), None)
    with pytest.raises(ValueError, match="one code"):
        table.edit(dataclasses.replace(edit, recodings={**edit.recodings, "age": short}))


def test_an_unknown_released_column_is_named(opened):
    table = opened(people())
    edit = plan(table, COLUMNS, TO)
    with pytest.raises(TableError, match="ill"):
        table.edit(dataclasses.replace(edit, columns=("ill",)))


def test_every_type_can_be_a_quasi_identifier(opened):
    table = opened(typed())
    names = tuple(typed().column_names)
    result = table.edit(plan(table, names, dict.fromkeys(names, lambda v: "x" if v else "none")))
    nulls = [typed().column(name).null_count + (name == "float") for name in names]
    nulls[names.index("text")] += 1  # the empty text
    columns = list(zip(*as_text(result), strict=True))
    assert [column.count("none") for column in columns] == nulls
    assert all(set(column) <= {"x", "none"} for column in columns)
    kept = table.edit(plan(table, names, dict.fromkeys(names), fewer_than=3, star=True))
    assert as_text(kept) == [("*",) * len(names)] * 3


def test_the_result_lives_on_the_callers_connection_and_leaves_nothing_there():
    own = duckdb.connect()
    own.execute("CREATE TABLE p AS SELECT i AS a, i::HUGEINT AS h, [i] AS l FROM range(4) r(i)")
    source = own.table("p")
    table = open_table(source)
    assert table.native() is source
    result = table.edit(plan(table, ("a", "h", "l"), {"a": lambda _: "x"})).native()
    own.execute("DROP TABLE p")  # the release was computed already
    assert [str(kind) for kind in result.types] == ["VARCHAR", "HUGEINT", "BIGINT[]"]
    assert result.filter("h > 1").fetchall() == [("x", 2, [2]), ("x", 3, [3])]
    assert own.sql("SELECT count(*) FROM result").fetchall() == [(4,)]
    assert own.execute("SHOW ALL TABLES").fetchall() == []


def test_a_table_of_the_callers_does_not_stand_in_for_ours():
    own = duckdb.connect()
    own.execute("CREATE TABLE t AS SELECT 7 AS c0")
    table = open_table(own.sql("SELECT i AS c0 FROM range(3) r(i)"))
    assert table.count_groups(("c0",)).values == ((0, 1, 2),)


def test_a_connection_that_reads_no_python_is_a_fault():
    own = duckdb.connect(config={"python_enable_replacements": False})
    table = open_table(own.sql("SELECT 1 AS a"))
    with pytest.raises(TableError, match="read Python variables"):
        table.edit(plan(table, ("a",), {"a": None}))


def test_a_result_can_be_edited_again(opened):
    table = opened(people())
    once = table.edit(plan(table, COLUMNS, TO))
    twice = once.edit(plan(once, ("age",), {"age": lambda v: "x"}))
    assert as_text(twice) == [("x",)] * 10


def test_the_pandas_index_is_never_used_or_emitted():
    frame = pd.DataFrame({"q": ["b", "a", "b"], "v": [1, 2, 3]}, index=[7, 7, -1])
    table = open_table(frame)
    result = table.edit(plan(table, ("q", "v"), {"q": str})).native()
    expected = pd.DataFrame({"q": ["a", "b", "b"], "v": [2, 1, 3]})
    pd.testing.assert_frame_equal(result, expected)


def test_a_collation_neither_merges_nor_reorders():
    own = duckdb.connect()
    own.execute("CREATE TABLE p (x VARCHAR COLLATE NOCASE, y VARCHAR)")
    own.execute("INSERT INTO p VALUES ('a', 'u'), ('B', 'U'), ('A', 'u'), ('B', 'u')")
    own.execute("SET default_collation = 'nocase'")
    table = open_table(own.table("p"))
    result = table.edit(plan(table, ("x", "y"), {"x": lambda v: v + "!"}))
    assert as_text(result) == [("A!", "u"), ("B!", "U"), ("B!", "u"), ("a!", "u")]
    kept = table.edit(plan(table, ("x", "y"), {"x": None}, fewer_than=2))
    assert as_text(kept) == [("B", "U"), ("B", "u")]
