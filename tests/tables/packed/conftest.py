"""Small chunks, so that small tables have several of everything, and packed tables to try."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from packed_tables import random_table, save

from lookalike.tables.packed import sorting, threads
from lookalike.tables.packed.parquet import reading, writing
from lookalike.tables.packed.parquet.reading import read_files


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(threads, "CHUNK_ROWS", 300)
    monkeypatch.setattr(reading, "BATCH_ROWS", 150)
    monkeypatch.setattr(writing, "GROUP_ROWS", 70)
    monkeypatch.setattr(sorting, "MIN_DIVIDED_WORDS", 64)
    monkeypatch.setattr("lookalike.tables.packed.verifier.reading.BATCH_ROWS", 128)


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """Packed tables of one word and of several."""
    folder = tmp_path_factory.mktemp("packed")
    rng = np.random.default_rng(5)
    names = ("text", "many", "day", "yes", "constant")
    one = save(random_table(rng, 5000, names), folder / "1.parquet")
    wide = pa.table({f"c{i}": rng.integers(-900, 900, 5000) for i in range(14)})
    two = save(wide, folder / "2.parquet")
    return [read_files([one], pq.read_schema(one).names), read_files([two], wide.column_names)]
