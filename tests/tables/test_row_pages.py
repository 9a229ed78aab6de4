"""A page is some rows of the table as they are stored: on every engine the same cells, as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
import pyarrow as pa
import pytest
from effort import without
from engine_kinds import KINDS, TYPED, as_csv, make, postgres_server
from postgres_server import binaries
from typed_table import typed

import lookalike as la
from engines.test_engines_agree import AGE, SICK, people, policy
from lookalike.tables import Table, open_table
from lookalike.tables.row_pages import page


def texts(table: pa.Table) -> list[tuple[str | None, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def stored(table: Table) -> list[tuple[str | None, ...]]:
    return texts(table.text_rows(table.columns))


def is_a_window(table: Table) -> None:
    """Wherever it begins, whatever its length."""
    whole = stored(table)
    assert len(whole) == table.rows()
    for start, rows in ((0, 7), (1, 1), (13, 40), (len(whole) - 3, 10), (len(whole) + 5, 10)):
        found = page(table, start, rows)
        assert found.column_names == list(table.columns)
        assert set(found.schema.types) == {pa.string()}
        assert texts(found) == whole[start : start + rows]
    assert page(table, 4, 0).num_rows == 0


@pytest.mark.parametrize("kind", KINDS)
def test_pages_are_the_rows_in_their_order(kind: str, tmp_path: Path) -> None:
    table = open_table(make(people(), kind, tmp_path))
    is_a_window(table)
    names = people().column_names
    shown = [
        tuple(None if cell is None else str(cell) for cell in row)
        for row in zip(*(people().column(name).to_pylist() for name in names), strict=True)
    ]
    found = page(table, 30, 25)
    empty = {"", None}  # in a CSV file of Arrow's both are an empty cell or ""
    for row, wanted in zip(texts(found), shown[30:55], strict=True):
        assert all(a == b or {a, b} <= empty for a, b in zip(row, wanted, strict=True))
    some = page(table, 30, 25, [SICK, AGE])
    assert some.column_names == [SICK, AGE]
    assert some.equals(found.select([SICK, AGE]))


@pytest.mark.parametrize("kind", TYPED)
def test_cells_of_every_type_read_as_they_are_released(kind: str, tmp_path: Path) -> None:
    is_a_window(open_table(make(typed(), kind, tmp_path)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_has_pages_too(kind: str, tmp_path: Path) -> None:
    release = la.anonymize(make(people(), kind, tmp_path), policy(suppress=0.2))
    is_a_window(release.released)
    if kind == "parquet":  # held packed; the same once more where equal rows stand there once
        alone = la.Policy(
            quasi_identifiers={AGE: la.bands(20)},
            identifiers=[name for name in people().column_names if name != AGE],
            require=la.KAnonymity(3), suppress=0.2,
        )  # fmt: skip
        is_a_window(la.anonymize(tmp_path / "table.parquet", alone).released)


def test_a_frame_of_mixed_cells_shows_the_same_text_on_every_page() -> None:
    mixed: list[Any] = [1.0, 2.0, "a", True, None, 3]
    table = open_table(pd.DataFrame({"mixed": pd.Series(mixed, dtype=object)}))
    one_by_one = [page(table, at, 1).column("mixed")[0].as_py() for at in range(6)]
    assert one_by_one == page(table, 0, 6).column("mixed").to_pylist()
    assert one_by_one == ["1", "2", "a", "true", None, "3"]


@pytest.mark.parametrize("made", ["ibis", "dask"])
@pytest.mark.filterwarnings("ignore")
def test_lazy_frames_are_laid_down_and_then_paged(made: str) -> None:
    if made == "ibis":
        ibis = pytest.importorskip("ibis")
        source = ibis.memtable(people())
    else:
        dask = pytest.importorskip("dask.dataframe")
        source = dask.from_pandas(people().to_pandas(), npartitions=3)
    is_a_window(open_table(source))


@without("PostgreSQL is not installed: apt-get install postgresql", binaries() is None)
@pytest.mark.xdist_group("postgres")
def test_postgres_reads_the_heap_despite_indexes_and_workers() -> None:
    import psycopg

    with psycopg.connect(postgres_server().address(), autocommit=True) as opened:
        opened.execute(
            "CREATE TABLE paged AS "
            "SELECT (i * 7919) % 100003 AS a FROM generate_series(1, 100000) i"
        )
        opened.execute("CREATE INDEX ON paged (a)")
        opened.execute("VACUUM ANALYZE paged")
    eager = "min_parallel_table_scan_size=0", "parallel_setup_cost=0", "enable_seqscan=off"
    options = quote(" ".join(f"-c {one}" for one in (*eager, "parallel_tuple_cost=0")))
    table = open_table(postgres_server().address("paged", options=options))
    found = page(table, 60_000, 50).column("a").to_pylist()
    assert found == [str(i * 7919 % 100003) for i in range(60_001, 60_051)]
    with table.content.engine.connection.cursor() as cursor:  # type: ignore[attr-defined]
        assert cursor.execute("SHOW enable_indexonlyscan").fetchone() == ("on",)


def test_what_cannot_be_asked_is_said(tmp_path: Path) -> None:
    table = open_table(as_csv(people(), tmp_path / "t.csv"))
    with pytest.raises(la.TableError, match="no such column"):
        page(table, 0, 1, ["nowhere"])
    for start, rows in ((-1, 5), (0, -5)):
        with pytest.raises(ValueError, match="begins at 0"):
            page(table, start, rows)
