"""Parquet files read into packed rows, compared with DuckDB."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from packed_tables import POOLS, random_table, save, unpacked

from lookalike.tables.packed import interning
from lookalike.tables.packed.parquet.reading import read_files
from lookalike.tables.packed.parquet.writing import write_file
from lookalike.tables.packed.row_recoding import SortedRows


@pytest.mark.parametrize("seed", range(4))
def test_values_are_those_of_duckdb_and_rows_as_they_were(tmp_path, seed):
    rng = np.random.default_rng(seed)
    names = list(rng.permutation(list(POOLS)))
    nulls = 0.1 * (seed % 2)
    tables = [random_table(rng, rows, names, nulls) for rows in (1000, 0, 3, 700)]
    files = [save(t, tmp_path / f"{i}.parquet") for i, t in enumerate(tables)]
    engine = duckdb.connect()
    options = "(FORMAT parquet, ROW_GROUP_SIZE 2048)"
    engine.execute(f"COPY (FROM '{files[0]}') TO '{tmp_path / 'd.parquet'}' {options}")
    files[0] = tmp_path / "d.parquet"
    packed = read_files(files, names)
    whole = pa.concat_tables(tables)
    assert packed.rows == len(whole)
    assert unpacked(packed).equals(whole)
    for i, (name, values) in enumerate(zip(names, packed.values, strict=True)):
        found = engine.sql(
            f'SELECT "{name}" AS v, count(*) AS n FROM whole GROUP BY 1 ORDER BY 1 NULLS LAST'
        ).to_arrow_table()
        assert found.column("v").to_pylist() == values.to_pylist()
        assert found.column("n").to_pylist() == packed.marginal(i).tolist()
    assert values.type == whole.schema.field(names[-1]).type


def test_a_file_may_list_cells_that_no_row_has(tmp_path):
    some = pa.DictionaryArray.from_arrays(pa.array([2, None, 0]), pa.array(["c", "b", "a"]))
    packed = read_files([save(pa.table({"x": some}), tmp_path / "x.parquet")], ["x"])
    assert packed.values[0].to_pylist() == ["a", "c", None]
    assert unpacked(packed).column(0).to_pylist() == ["a", None, "c"]


def test_no_rows(tmp_path):
    empty = random_table(np.random.default_rng(1), 0)
    packed = read_files([save(empty, tmp_path / "x.parquet")], list(POOLS))
    assert (packed.rows, [len(v) for v in packed.values]) == (0, [0] * len(POOLS))
    assert all(len(packed.marginal(i)) == 0 for i in range(len(POOLS)))
    none = [np.zeros(0, np.uint64)] * len(POOLS)
    assert [len(part) for part in packed.count(none, 5)] == [0, 0]
    [words] = packed.recode([none], none, np.zeros(0, np.uint64))
    rows = SortedRows(packed.names, packed.values, packed.layout, (words,), None)
    write_file(tmp_path / "y.parquet", rows)
    assert pq.read_table(tmp_path / "y.parquet").equals(pq.read_table(tmp_path / "x.parquet"))


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1.5]),
        pa.array([b"x"]),
        pa.array([[1]]),
        pa.array([{"a": 1}]),
        pa.array([1], pa.timestamp("ns")),
        pa.nulls(1),
    ],
    ids=str,
)
def test_what_is_not_for_codes(tmp_path, column):
    assert read_files([save(pa.table({"x": column}), tmp_path / "x.parquet")], ["x"]) is None


def test_columns_that_do_not_fit_together(tmp_path):
    one = save(pa.table({"x": [1], "y": ["a"]}), tmp_path / "1.parquet")
    two = save(pa.table({"x": ["1"], "y": ["a"]}), tmp_path / "2.parquet")
    assert read_files([one, two], ["x"]) is None
    assert read_files([one, two], ["y"]).rows == 2
    assert read_files([one], ["z"]) is None
    assert read_files([], ["x"]) is None
    twice = save(pa.table([[1], [2]], names=["x", "x"]), tmp_path / "3.parquet")
    assert read_files([twice], ["x"]) is None
    kept = tmp_path / "4.parquet"
    pq.write_table(pa.table({"x": pa.array(["a"]).dictionary_encode()}), kept)
    assert read_files([kept], ["x"]) is None


def test_many_distinct_cells(tmp_path):
    numbers = np.random.default_rng(4).permutation(np.arange(-9000, 9000) % 6000)
    table = pa.table({"x": numbers, "y": [f"cell number {i}" for i in numbers]})
    packed = read_files([save(table, tmp_path / "x.parquet")], ["y", "x"])
    assert unpacked(packed).select(["x", "y"]).equals(table)
    assert [len(values) for values in packed.values] == [6000, 6000]


def test_too_many_distinct_cells(tmp_path, monkeypatch):
    file = save(pa.table({"x": [*range(500), None], "y": ["long text"] * 501}), tmp_path / "x")
    assert read_files([file], ["x"], max_cells=500) is None
    assert len(read_files([file], ["x"], max_cells=501).values[0]) == 501
    monkeypatch.setattr(interning, "MAX_HEAP_BYTES", 8)
    assert read_files([file], ["y"]) is None
