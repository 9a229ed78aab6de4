"""A Parquet file as codes answers every question as DuckDB does, and its release is the same."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from packed_tables import POOLS, random_table, save

import lookalike as la
from lookalike.tables.duckdb.table import DuckDBTable
from lookalike.tables.fingerprint import PRIME, WORDS, numbers
from lookalike.tables.open import open_table
from lookalike.tables.packed.packed_file import PackedFileTable
from lookalike.tables.packed.packed_release import PackedReleaseTable
from lookalike.tables.packed.row_recoding import MIN_GROUPS
from lookalike.tables.packed.verifier.row_kernels import add_products

NAMES = tuple(POOLS)


def opened(tmp_path, seed, rows=700, no_nul=False, **more):
    table = random_table(np.random.default_rng(seed), rows, **more)
    if no_nul:  # a CSV file has none
        at = table.column_names.index("text")
        table = table.set_column(at, "text", pc.replace_substring(table["text"], "\0", "-"))
    file = open_table(save(table, tmp_path / f"{seed}.parquet"))
    assert isinstance(file, PackedFileTable)
    return file, file.inner


def counted(table):
    return sorted(map(tuple, zip(*table.to_pydict().values(), strict=True)), key=str)


@pytest.mark.parametrize("seed", range(3))
def test_counts_texts_and_sums_are_those_of_duckdb(tmp_path, seed):
    coded, plain = opened(tmp_path, seed, rows=[0, 3, 700][seed])
    rng = random.Random(seed)
    assert coded.rows() == plain.rows()
    for _ in range(6):
        names = rng.sample(NAMES, rng.randint(1, 4))
        here, there = (one.count_groups(names[1:] or names, names[:1]) for one in (coded, plain))
        assert here.values == there.values
        assert np.array_equal(here.codes, there.codes)
        assert np.array_equal(here.counts, there.counts)
        [one], [two] = here.sensitive.values(), there.sensitive.values()
        assert np.array_equal(one.dense(here.groups), two.dense(there.groups))
        assert counted(coded.distinct_text(names)) == counted(plain.distinct_text(names))
        assert coded.text_codes(names[0]) == plain.text_codes(names[0])
    here, there = coded.count_columns(NAMES), plain.count_columns(NAMES)
    assert here.values == there.values
    assert all(map(np.array_equal, here.marginals, there.marginals))
    assert coded.fingerprint("key") == plain.fingerprint("key")
    assert coded.count_out_of_order() == plain.count_out_of_order()


def test_sorted_and_unsorted_rows_are_distinguished(tmp_path):
    table = random_table(np.random.default_rng(5), 600, names=("small", "text", "day"))
    by_value = table.sort_by([(name, "ascending") for name in table.column_names])
    swapped = by_value.take([*range(300), 301, 300, *range(302, 600)])
    for number, (one, sorted_) in enumerate([(by_value, True), (swapped, False), (table, False)]):
        file = open_table(save(one, tmp_path / f"{number}.parquet"))
        assert file.count_out_of_order() == file.inner.count_out_of_order()
        found = all(0 in (text, number) for text, number in file.count_out_of_order())
        assert found is sorted_


@pytest.mark.parametrize("star", [False, True])
def test_the_verifiers_recoding_is_that_of_duckdb(tmp_path, monkeypatch, star):
    coded, plain = opened(tmp_path, 4, names=("text", "many", "small", "day"))
    labels = {
        "many": {text: text and text[:3] for text in coded.text_codes("many")},
        "text": {
            text: "*" if text == "a" else text and text[:1] for text in coded.text_codes("text")
        },
    }
    columns = ("small", "many", "text")
    here, there = (one.with_labels(columns, labels) for one in (coded, plain))
    assert counted(here.distinct_text(columns)) == counted(there.distinct_text(columns))
    assert here.fingerprint("key") == there.fingerprint("key")
    classes = here.distinct_text(("text", "many"))
    gone = classes.slice(0, classes.num_rows // 2).drop_columns(["count"])
    gone = gone.rename_columns(["g0", "g1"])
    here, there = (one.suppress_rows(("text", "many"), gone, star=star) for one in (here, there))
    assert here.rows() == there.rows()
    assert here.fingerprint("key") == there.fingerprint("key")
    assert counted(here.distinct_text(columns)) == counted(there.distinct_text(columns))
    with pytest.raises(KeyError):
        coded.with_labels(columns, {"text": {"a": "b"}})
    words = [
        {"many": {t: i for i, t in enumerate(coded.text_codes("many"))}},
        {"small": {t: 3 * i for i, t in enumerate(coded.text_codes("small"))}},
    ]
    masks = [(7, -1), (~3, 2)]
    counts = [table.column("n").to_numpy() for table in plain.masked_counts(words, masks)]
    for many in (1 << 24, 10):  # at once, and in parts
        monkeypatch.setattr("lookalike.tables.packed.verifier.text_table.MAX_ROWS_AT_ONCE", many)
        alone = [int(of[of < 9].sum()) for of in counts]
        assert coded.rows_in_small_groups(words, masks, 9, 1 << 40) == alone
        assert plain.rows_in_small_groups(words, masks, 9, 1 << 40) == alone
        assert all(one > 0 for one in coded.rows_in_small_groups(words, masks, 200, 0))
    for one, two in zip(*(t.masked_counts(words, masks) for t in (coded, plain)),
                        strict=True):  # fmt: skip
        assert counted(one) == counted(two)


def policy(**changed):
    return la.Policy(
        quasi_identifiers={"many": la.prefix(), "day": la.dates(), "small": la.flat()},
        insensitive=("text", "yes", "money", "at", "whole"),
        require=la.KAnonymity(4),
        **changed,
    )


@pytest.mark.parametrize("changed", [
    {"suppress": 0.3},
    {"suppress": 0.3, "conventions": la.Conventions(suppressed="star")},
    {"suppress": 0.5, "levels": {"day": (5, 5), "many": (0, 5)}},
    {"suppress": 0.6, "levels": {"day": (5, 5), "small": (0, 0), "many": (4, 4)},
     "conventions": la.Conventions(suppressed="star")},
])  # fmt: skip
def test_a_release_of_codes_is_the_release_of_duckdb(tmp_path, monkeypatch, changed):
    names = ("many", "day", "small", "text", "yes", "money", "at", "whole")
    coded, plain = opened(tmp_path, 6, no_nul=True, names=names)
    asked = policy(**changed)
    expected = la.anonymize(plain, asked)
    for few in (MIN_GROUPS, 1):  # as distinct rows, and as rows one by one
        monkeypatch.setattr("lookalike.tables.packed.row_recoding.MIN_GROUPS", few)
        release = la.anonymize(coded, asked)
        assert isinstance(release.released, PackedReleaseTable)
        assert isinstance(expected.released, DuckDBTable)
        assert release.certificate.to_json() == expected.certificate.to_json()
        assert release.table.to_pylist() == expected.table.to_pylist()
        for suffix in (".parquet", ".csv"):
            path = release.write(tmp_path / f"out{few}{suffix}")
            other = expected.write(tmp_path / f"other{few}{suffix}")
            assert la.verify(path).passed
            if suffix == ".csv":
                assert path.read_bytes() == other.read_bytes()
            else:
                assert pq.read_table(path).to_pylist() == pq.read_table(other).to_pylist()


def test_cells_of_suppressed_rows_are_nowhere_in_the_file(tmp_path):
    """Not even in the dictionary of a column."""
    names = [f"town {n % 3}" for n in range(90)] + ["lonely hamlet"]
    table = pa.table({"town": names, "note": [f"said {n}" for n in names]})
    path = save(table, tmp_path / "t.parquet")
    asked = la.Policy(quasi_identifiers={"town": la.flat()}, insensitive="note",
                      require=la.KAnonymity(5), suppress=1,
                      accept={"note": "invented notes"})  # fmt: skip
    out = la.anonymize(path, asked).write(tmp_path / "out.parquet")
    file = pq.ParquetFile(out, read_dictionary=["town", "note"])
    chunks = [chunk for column in file.read().columns for chunk in column.chunks]
    cells = {cell for chunk in chunks for cell in chunk.dictionary.to_pylist()}
    assert cells == {f"{said}town {n}" for n in range(3) for said in ("", "said ")}


def test_products_stay_below_the_prime_for_all_numbers():
    """Every number the largest there is, over many columns: nothing overflows on the way."""
    for columns in range(1, 40):
        fields = np.zeros((columns, 4), dtype=np.uint64)
        fields[:, 3] = np.arange(columns)
        cells = np.full((columns, WORDS), PRIME - 1, dtype=np.uint64)
        cells[::2, 1] = PRIME - 2
        cells[:, 2] = 2**31 - 5
        sums = np.zeros(WORDS, dtype=np.uint64)
        gone, times = np.array([False] * 3 + [True]), np.array([1, 2, 4, 8])
        add_products(np.zeros((1, 4), np.uint64), fields, cells, times, gone, sums)
        for word in range(WORDS):
            product = 1
            for cell in cells[:, word].tolist():
                product = product * cell % PRIME
            assert int(sums[word]) == 7 * product


def test_the_numbers_of_a_cell_are_those_of_its_sha256():
    """As ``fingerprint.py`` says: by hand, so that another program can do it too."""
    [found] = numbers("key", 2, ["abc"]).tolist()
    digits = "83825dc491d4d49ae1244688748c190305f3c72a"  # printf 'key 2+abc' | sha256sum
    assert found == [int(digits[i : i + 8], 16) % (2**31 - 1) for i in range(0, 40, 8)]
