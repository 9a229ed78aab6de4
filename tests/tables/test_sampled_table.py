"""Samples of tables of every kind: the drawn rows, and no others."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from lookalike.tables.open import open_table
from lookalike.tables.sampled_table import SampledTable, sampled_table

TABLE = pa.table({"age": list(range(50)), "word": [f"w{n}" if n % 7 else None for n in range(50)]})


def source(kind, folder):
    if kind == "csv":
        pa.csv.write_csv(TABLE, folder / "table.csv")
        return folder / "table.csv"
    if kind == "parquet":
        pa.parquet.write_table(TABLE, folder / "table.parquet")
        return folder / "table.parquet"
    if kind == "pandas":
        return TABLE.to_pandas()
    if kind == "duckdb":
        import duckdb

        return duckdb.connect().from_arrow(TABLE)
    if kind == "dask":
        from dask import dataframe

        return dataframe.from_pandas(TABLE.to_pandas(), npartitions=3)
    if kind.startswith("polars"):
        import polars

        frame = polars.from_arrow(TABLE)
        return frame.lazy() if kind == "polars-lazy" else frame
    return TABLE


KINDS = ["csv", "parquet", "pandas", "polars", "polars-lazy", "pyarrow", "duckdb", "dask"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_drawn_rows_and_no_others(kind, tmp_path):
    table, seen = open_table(source(kind, tmp_path)), []

    def draw(rows):
        at = np.arange(rows) + sum(map(len, seen))
        seen.append(at % 3 == 0)
        return seen[-1]

    sample = sampled_table(table, draw, secret=True)
    assert isinstance(sample, SampledTable)
    assert (sample.kind, sample.path, sample.columns) == (table.kind, table.path, table.columns)
    assert sum(map(len, seen)) == 50
    assert sample.rows() == 17
    words = {word if word is not None else "" for word in TABLE["word"].to_pylist()}
    drawn = sample.distinct_text(("age", "word")).to_pydict()
    assert len(set(drawn["c0"])) == 17
    for age, word in zip(drawn["c0"], drawn["c1"], strict=True):
        assert word == (f"w{age}" if int(age) % 7 else None)
        assert (word or "") in words
