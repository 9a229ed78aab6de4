"""Files written from packed rows are read back by pyarrow, DuckDB and us."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from packed_tables import random_table, save, unpacked

from lookalike.tables.packed.bit_layout import BitLayout
from lookalike.tables.packed.parquet.reading import read_files
from lookalike.tables.packed.parquet.writing import write_file
from lookalike.tables.packed.row_recoding import SortedRows


@pytest.mark.parametrize("counted", [False, True])
def test_written_files_are_read_back_by_everyone(tmp_path, counted):
    rng = np.random.default_rng(11)
    table = random_table(rng, 1500).append_column('a "b".c', pa.array(rng.integers(0, 999, 1500)))
    packed = read_files([save(table, tmp_path / "x.parquet")], table.column_names)
    assert packed.layout.words > 1 or packed.layout.bits
    counts = rng.integers(0, 300, packed.rows) ** 3 // 2_000_000 if counted else None
    path = tmp_path / "y.parquet"
    rows = SortedRows(packed.names, packed.values, packed.layout, tuple(packed.words), counts)
    write_file(path, rows)
    times = np.ones(packed.rows, np.int64) if counts is None else counts
    expected = table.take(pa.array(np.repeat(np.arange(packed.rows), times)))
    assert pq.read_table(path).equals(expected)
    assert duckdb.sql(f"FROM '{path}'").to_arrow_table().cast(table.schema).equals(expected)
    again = read_files([path], table.column_names)
    assert unpacked(again).equals(expected)
    info = pq.read_metadata(path)
    assert info.num_row_groups == -(-len(expected) // 70)
    for group in range(info.num_row_groups):  # each can be found by itself
        part = pq.ParquetFile(path).read_row_group(group)
        assert part.equals(expected.slice(70 * group, 70))


def test_a_row_that_is_there_very_often(tmp_path):
    layout, path = BitLayout.for_sizes([2]), tmp_path / "y.parquet"
    words, counts = np.array([0, 1, 0], np.uint64), np.array([3, 15 * 70 - 3, 0])
    write_file(path, SortedRows(("x",), (pa.array(["*", None]),), layout, (words,), counts))
    assert pq.read_table(path).column(0).to_pylist() == ["*"] * 3 + [None] * 1047
