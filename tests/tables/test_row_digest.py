"""The digest of a table: by its definition, on every engine, and different for different rows."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from plain_digest import plain_digest
from table_examples import people

from lookalike.tables import open_table, row_digest
from lookalike.tables.packed.verifier import text_digest

CELLS = ("x", "xy", "é", "", None, "10", "9", "ü:3", "-", "1=", "1:x", "\n", "'")


def random_rows(rng, rows, columns):
    few = rng.sample(CELLS, rng.randint(1, len(CELLS)))
    return [tuple(rng.choice(few) for _ in range(columns)) for _ in range(rows)]


def as_table(names, rows):
    columns = [pa.array([row[i] for row in rows], pa.string()) for i in range(len(names))]
    return pa.table(columns, names=list(names))


def texts(table):
    shown = table.text_rows(table.columns)
    return list(zip(*(column.to_pylist() for column in shown.columns), strict=True))


@pytest.mark.parametrize("part_entries", [1, 3, 65_536])
@pytest.mark.parametrize("rows", [0, 1, 7, 60])
def test_digests_follow_the_definition(opened, rows, part_entries, monkeypatch):
    monkeypatch.setattr(row_digest, "PART_ENTRIES", part_entries)
    monkeypatch.setattr(text_digest, "PART_ENTRIES", part_entries)
    rng = random.Random(rows + part_entries)
    names = ("a", "ß b", "c")[: rng.randint(1, 3)]
    wanted = random_rows(rng, rows, len(names))
    table = opened(as_table(names, wanted))
    assert table.digest() == plain_digest(names, texts(table), part_entries)


def test_every_kind_of_table_has_the_same_digest(opened):
    table = opened(people())
    assert table.digest() == plain_digest(table.columns, texts(table))


def test_the_order_of_rows_does_not_matter(opened):
    rows = random_rows(random.Random(1), 40, 2)
    assert opened(as_table("ab", rows)).digest() == opened(as_table("ab", rows[::-1])).digest()


def test_packed_rows_that_cross_parts_and_searches(tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    monkeypatch.setattr(text_digest, "SEARCHED_ROWS", 16)
    monkeypatch.setattr(text_digest, "PART_ENTRIES", 5)
    for seed in range(40):
        rng = random.Random(seed)
        rows = random_rows(rng, rng.randint(1, 90), 3)
        rows = sorted(rows, key=str) if seed % 2 else rows
        pq.write_table(as_table("abc", rows), tmp_path / "t.parquet")
        table = open_table(tmp_path / "t.parquet")
        assert table.digest() == plain_digest("abc", rows, 5)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([("a", "b")], [("ab", "")]),
        ([("a", None)], [("a", "-")]),
        ([("a", None)], [("a", "")]),
        ([("a", "b")], [("a", "b")] * 2),
        ([("a", "1:b")], [("a1:", "b")]),
        ([("a", "b"), ("c", "d")], [("a", "d"), ("c", "b")]),
    ],
)
def test_different_rows_have_different_digests(one, other):
    digests = {open_table(as_table("ab", rows)).digest() for rows in (one, other)}
    assert len(digests) == 2


def test_names_and_their_order_count():
    rows = [("x", "y")]
    tables = [as_table(names, rows) for names in (("a", "b"), ("b", "a"), ("a", "c"))]
    assert len({open_table(table).digest() for table in tables}) == 3
