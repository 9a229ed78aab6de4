"""Tables as codes: every kernel against a plain twin, every file against DuckDB."""

from __future__ import annotations

import datetime
import itertools
from decimal import Decimal

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookalike.tables.packed import interning, sorting, threads
from lookalike.tables.packed import key_counts as counting
from lookalike.tables.packed.bit_layout import Layout
from lookalike.tables.packed.column_codes import Codes
from lookalike.tables.packed.parquet import reading, writing
from lookalike.tables.packed.parquet.reading import read

ALL = 1 << 62
DAY = datetime.date(2000, 2, 29)
POOLS = {
    "text": (pa.string(), ["", "a", "ab", "ba", "é", "e\u0301", "日本", "😀", "a\0", "seven77",
                           "eight888", "eight889", "long " * 9, "long " * 8 + "lone "]),
    "many": (pa.string(), [f"{i:05}" for i in range(900)]),
    "day": (pa.date32(), [DAY + datetime.timedelta(days=i) for i in range(-9000, 9000, 37)]),
    "whole": (pa.int64(), [-(2**63), 2**63 - 1, -1, 0, 1, 256, -256]),
    "small": (pa.int8(), [-128, 127, 0, 5]),
    "above": (pa.uint64(), [2**64 - 1, 0, 2**63]),
    "yes": (pa.bool_(), [True, False]),
    "money": (pa.decimal128(20, 2), [Decimal("-1.50"), Decimal("99999999999.01"), Decimal(0)]),
    "at": (pa.timestamp("us"), [datetime.datetime(1960, 1, 1), datetime.datetime(2020, 1, 1, 3)]),
    "nobody": (pa.string(), [None]),
    "constant": (pa.int32(), [7]),
}  # fmt: skip


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """So that small tables have several of everything, and two threads."""
    monkeypatch.setattr(threads, "CHUNK", 300)
    monkeypatch.setattr(reading, "STRETCH", 150)
    monkeypatch.setattr(writing, "GROUP", 70)
    monkeypatch.setattr(sorting, "FEW", 64)


def drawn(rng, rows, names=tuple(POOLS), nulls=0.1):
    columns = []
    for name in names:
        kind, pool = POOLS[name]
        cells = [pool[i] for i in rng.integers(0, len(pool), rows)]
        missing = rng.random(rows) < nulls * (name not in {"yes", "constant"})
        cells = [None if m else cell for cell, m in zip(cells, missing, strict=True)]
        columns.append(pa.array(cells, kind))
    return pa.table(columns, names=list(names))


def saved(table, path, group=200):
    pq.write_table(table, path, row_group_size=group, store_schema=False)
    return path


def shown(codes, words=None):
    """The rows again."""
    words = codes.words if words is None else words
    found = [
        values.take(pa.array(codes.layout.unpack(words, j)))
        for j, values in enumerate(codes.values)
    ]
    return pa.table(found, names=list(codes.names))


def luts_of(rng, codes, most, none=0.2):
    """For a key that is a sum of random numbers."""
    return [
        None if rng.random() < none else rng.integers(0, most, len(v), dtype=np.uint64)
        for v in codes.values
    ]


def keys_of(codes, luts):
    """The twin of the kernels: numpy, a column at a time."""
    total = np.zeros(codes.rows, np.uint64)
    for j, lut in enumerate(luts):
        if lut is not None:
            total += lut[codes.layout.unpack(codes.words, j)]
    return total


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """Tables of one word and of several, read before the chunks are made small, and after."""
    folder = tmp_path_factory.mktemp("codes")
    rng = np.random.default_rng(5)
    one = saved(drawn(rng, 5000, ("text", "many", "day", "yes", "constant")), folder / "1.parquet")
    wide = pa.table({f"c{i}": rng.integers(-900, 900, 5000) for i in range(14)})
    two = saved(wide, folder / "2.parquet")
    return [read([one], pq.read_schema(one).names), read([two], wide.column_names)]


@pytest.mark.parametrize("seed", range(4))
def test_values_are_those_of_duckdb_and_rows_as_they_were(tmp_path, seed):
    rng = np.random.default_rng(seed)
    names = list(rng.permutation(list(POOLS)))
    nulls = 0.1 * (seed % 2)
    tables = [drawn(rng, rows, names, nulls) for rows in (1000, 0, 3, 700)]
    files = [saved(t, tmp_path / f"{i}.parquet") for i, t in enumerate(tables)]
    engine = duckdb.connect()
    options = "(FORMAT parquet, ROW_GROUP_SIZE 2048)"
    engine.execute(f"COPY (FROM '{files[0]}') TO '{tmp_path / 'd.parquet'}' {options}")
    files[0] = tmp_path / "d.parquet"
    codes = read(files, names)
    whole = pa.concat_tables(tables)
    assert codes.rows == len(whole)
    assert shown(codes).equals(whole)
    for name, values, rows in zip(names, codes.values, codes.marginals(), strict=True):
        found = engine.sql(
            f'SELECT "{name}" AS v, count(*) AS n FROM whole GROUP BY 1 ORDER BY 1 NULLS LAST'
        ).to_arrow_table()
        assert found.column("v").to_pylist() == values.to_pylist()
        assert found.column("n").to_pylist() == rows.tolist()
    assert values.type == whole.schema.field(names[-1]).type


def test_sorting_words_sorts_rows(several):
    for codes in several:
        found = shown(codes, sorting.sort_rows([word.copy() for word in codes.words]))
        order = [(name, "ascending") for name in codes.names]
        assert found.equals(shown(codes).sort_by(order))


def test_more_columns_take_more_words(several):
    assert [codes.layout.words for codes in several] == [1, 3]
    layout = Layout.of([2**40, 2**24, 1, 3])
    assert layout == Layout((40, 24, 0, 2), (24, 0, 0, 0), (0, 0, 0, 1), 2)
    assert Layout.of([1, 2**40, 2**24]).shift == (63, 24, 0)
    assert Layout.of([]).words == 1


def test_a_file_may_list_cells_that_no_row_has(tmp_path):
    some = pa.DictionaryArray.from_arrays(pa.array([2, None, 0]), pa.array(["c", "b", "a"]))
    codes = read([saved(pa.table({"x": some}), tmp_path / "x.parquet")], ["x"])
    assert codes.values[0].to_pylist() == ["a", "c", None]
    assert shown(codes).column(0).to_pylist() == ["a", None, "c"]


def test_no_rows(tmp_path):
    codes = read([saved(drawn(np.random.default_rng(1), 0), tmp_path / "x.parquet")], list(POOLS))
    assert (codes.rows, [len(v) for v in codes.values]) == (0, [0] * len(POOLS))
    assert all(len(rows) == 0 for rows in codes.marginals())
    none = [np.zeros(0, np.uint64)] * len(POOLS)
    assert [len(part) for part in codes.count(none, 5)] == [0, 0]
    [words] = codes.recoded([none], none, np.zeros(0, np.uint64))
    writing.write(tmp_path / "y.parquet", codes.names, codes.values, codes.layout, [words])
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
    assert read([saved(pa.table({"x": column}), tmp_path / "x.parquet")], ["x"]) is None


def test_columns_that_do_not_fit_together(tmp_path):
    one = saved(pa.table({"x": [1], "y": ["a"]}), tmp_path / "1.parquet")
    two = saved(pa.table({"x": ["1"], "y": ["a"]}), tmp_path / "2.parquet")
    assert read([one, two], ["x"]) is None
    assert read([one, two], ["y"]).rows == 2
    assert read([one], ["z"]) is None
    assert read([], ["x"]) is None
    twice = saved(pa.table([[1], [2]], names=["x", "x"]), tmp_path / "3.parquet")
    assert read([twice], ["x"]) is None
    kept = tmp_path / "4.parquet"
    pq.write_table(pa.table({"x": pa.array(["a"]).dictionary_encode()}), kept)
    assert read([kept], ["x"]) is None


def test_many_distinct_cells(tmp_path):
    numbers = np.random.default_rng(4).permutation(np.arange(-9000, 9000) % 6000)
    table = pa.table({"x": numbers, "y": [f"cell number {i}" for i in numbers]})
    codes = read([saved(table, tmp_path / "x.parquet")], ["y", "x"])
    assert shown(codes).select(["x", "y"]).equals(table)
    assert [len(values) for values in codes.values] == [6000, 6000]


def test_long_cells_with_the_same_hash_are_compared():
    column = interning.Interned(pa.string(), 9)
    assert column.numbers(pa.array(["a long text", "short", "a long text"]), False).tolist() == [
        0,
        1,
        0,
    ]
    column._heap[10] += 1  # now it is another text with that hash
    assert column.numbers(pa.array(["a long text"]), False).tolist() == [2]
    column._stops[2:] -= 1  # and now one of another length
    assert column.numbers(pa.array(["a long text"]), False).tolist() == [3]


def test_too_many_distinct_cells(tmp_path, monkeypatch):
    file = saved(pa.table({"x": [*range(500), None], "y": ["long text"] * 501}), tmp_path / "x")
    assert read([file], ["x"], most=500) is None
    assert len(read([file], ["x"], most=501).values[0]) == 501
    monkeypatch.setattr(interning, "HEAP", 8)
    assert read([file], ["y"]) is None


@pytest.mark.parametrize("most", [3, 1 << 16, 1 << 40])
def test_counts_are_those_of_numpy(several, most):
    rng = np.random.default_rng(most)
    for codes in several * 3:
        luts = luts_of(rng, codes, most)
        keys, counts = np.unique(keys_of(codes, luts), return_counts=True)
        found = codes.count(luts, ALL)
        assert np.array_equal(found[0], keys)
        assert np.array_equal(found[1], counts)
        assert codes.count(luts, len(keys)) is not None
        assert codes.count(luts, len(keys) - 1) is None


def test_many_groups_make_the_tables_grow(monkeypatch):
    monkeypatch.setattr(threads, "CHUNK", 1 << 14)
    rng = np.random.default_rng(8)
    words = rng.integers(0, 60_000, 200_000, dtype=np.uint64) * np.uint64(2**48 + 1)
    words[:2] = 0, 2**64 - 1
    keys, counts = np.unique(words, return_counts=True)
    [found], many = counting.group([words], ALL)
    assert np.array_equal(found, keys)
    assert np.array_equal(many, counts)
    assert counting.group([words], len(keys) - 1) is None


def test_groups_of_several_words(several):
    for codes in several:
        words, counts = counting.group(codes.words, ALL)
        rows, expected = np.unique(np.stack(codes.words), axis=1, return_counts=True)
        assert np.array_equal(np.stack(words), rows)
        assert np.array_equal(counts, expected)
        assert counting.group(codes.words, len(counts) - 1) is None


def copied(codes):
    return Codes(
        codes.names, codes.values, codes.layout, codes.rows, [w.copy() for w in codes.words]
    )


@pytest.mark.parametrize("reuse", [False, True])
@pytest.mark.parametrize("star", [False, True])
@pytest.mark.parametrize("share", [0, 0.3, 1])
def test_recoded_rows_are_those_of_numpy(several, reuse, star, share):
    rng = np.random.default_rng(3)
    for codes, keyed in itertools.product(several, (30, 1 << 50)):
        luts = [luts_of(rng, codes, 1 << 50) for _ in range(2)]
        starred = [luts_of(rng, codes, 1 << 50) for _ in range(2)]
        key_luts = luts_of(rng, codes, keyed, none=0.5)
        keys = keys_of(codes, key_luts)
        gone = np.unique(keys)
        gone = gone[rng.random(len(gone)) < share]
        lost = np.isin(keys, gone)
        for many in (1, 2):
            held = copied(codes)
            found = held.recoded(
                luts[:many], key_luts, gone, starred[:many] if star else None, reuse
            )
            assert len(found) == many
            assert (held.words == []) is reuse
            for words, new, other in zip(found, luts, starred, strict=False):
                plain = np.where(lost, keys_of(codes, other), keys_of(codes, new))
                assert np.array_equal(words, plain if star else plain[~lost])


def test_keys_that_look_like_free_places_of_the_set(several):
    codes = several[0]
    luts = [np.arange(len(codes.values[0]), dtype=np.uint64), None, None, None, None]
    for gone in ([], [0], [0, 1, 2], [1, 2], list(range(len(codes.values[0])))):
        [words] = codes.recoded([luts], luts, np.array(gone, np.uint64))
        keys = keys_of(codes, luts)
        assert np.array_equal(words, keys[~np.isin(keys, gone)])


@pytest.mark.parametrize(
    "words",
    [
        lambda rng: rng.integers(0, 2**64 - 1, 30_000, dtype=np.uint64, endpoint=True),
        lambda rng: rng.integers(2**63, 2**63 + 9, 30_000, dtype=np.uint64),
        lambda rng: np.where(rng.random(30_000) < 0.9, 7, rng.integers(0, 2**63, 30_000)),
        lambda rng: np.uint64(2**63) >> rng.integers(0, 63, 30_000).astype(np.uint64),
        lambda rng: np.concatenate([rng.integers(0, 2**20, 20_000), [2**63 - 1]]),
        lambda rng: np.full(1000, 2**62),
        lambda rng: np.zeros(0),
    ],
)
def test_words_are_sorted(words):
    unsorted = words(np.random.default_rng(2)).astype(np.uint64)
    expected = np.sort(unsorted)
    found = sorting.sort_words(unsorted.copy())
    assert np.array_equal(found, expected)
    [once], counts = sorting.distinct([found])
    assert [a.tolist() for a in np.unique(expected, return_counts=True)] == [
        once.tolist(),
        counts.tolist(),
    ]


@pytest.mark.parametrize("counted", [False, True])
def test_written_files_are_read_back_by_everyone(tmp_path, counted):
    rng = np.random.default_rng(11)
    table = drawn(rng, 1500).append_column('a "b".c', pa.array(rng.integers(0, 999, 1500)))
    codes = read([saved(table, tmp_path / "x.parquet")], table.column_names)
    assert codes.layout.words > 1 or codes.layout.bits
    counts = rng.integers(0, 300, codes.rows) ** 3 // 2_000_000 if counted else None
    path = tmp_path / "y.parquet"
    writing.write(path, codes.names, codes.values, codes.layout, codes.words, counts)
    times = np.ones(codes.rows, np.int64) if counts is None else counts
    expected = table.take(pa.array(np.repeat(np.arange(codes.rows), times)))
    assert pq.read_table(path).equals(expected)
    assert duckdb.sql(f"FROM '{path}'").to_arrow_table().cast(table.schema).equals(expected)
    again = read([path], table.column_names)
    assert shown(again).equals(expected)
    info = pq.read_metadata(path)
    assert info.num_row_groups == -(-len(expected) // 70)
    for group in range(info.num_row_groups):  # each can be found by itself
        part = pq.ParquetFile(path).read_row_group(group)
        assert part.equals(expected.slice(70 * group, 70))


def test_a_row_that_is_there_very_often(tmp_path):
    layout, path = Layout.of([2]), tmp_path / "y.parquet"
    words, counts = np.array([0, 1, 0], np.uint64), np.array([3, 15 * 70 - 3, 0])
    writing.write(path, ["x"], [pa.array(["*", None])], layout, [words], counts)
    assert pq.read_table(path).column(0).to_pylist() == ["*"] * 3 + [None] * 1047
