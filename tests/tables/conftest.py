"""One table, made in every kind: what holds for one kind must hold for all."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from table_examples import KINDS

from lookalike.tables import Table, open_table
from lookalike.tables.frames.eager import open_frame


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """200 kB, for real."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(place)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False)
    except OSError:
        pytest.skip("there is no mount command here to make a small disk with")
    if done.returncode:
        pytest.skip("a small disk can be made by root alone")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make(kind: str, tmp_path: Path) -> Callable[[pa.Table], Any]:
    """Turn a pyarrow table into a source of the kind."""
    numbers = itertools.count()

    def source(table: pa.Table) -> Any:
        path = tmp_path / f"table{next(numbers)}.{kind}"
        if kind == "csv":
            open_frame(table).write(path)
            return path
        if kind == "parquet":
            pq.write_table(table, path)
            return path
        if kind == "pandas":
            return table.to_pandas(integer_object_nulls=True)  # else they turn to floats
        if kind == "polars":
            return pl.from_arrow(table)
        if kind == "polars-lazy":
            return pl.from_arrow(table).lazy()
        if kind == "pyarrow":
            return table
        return duckdb.connect().from_arrow(table)

    return source


@pytest.fixture
def opened(make: Callable[[pa.Table], Any]) -> Callable[[pa.Table], Table]:
    return lambda table: open_table(make(table))
