"""Counts kept on disk: found again for the same table, over fewer columns too, and for no other."""

import os
import random
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.tables.cache.cache_folder import CacheFolder
from lookalike.tables.cache.count_cache import cached_counts
from lookalike.tables.cache.node_cache import CachedRemoteCounts
from lookalike.tables.open import open_table
from lookalike.tables.packed.packed_file import PackedFileTable


@pytest.fixture
def cache(tmp_path):
    folder = tmp_path / "private"
    la.limit_engine(cache=folder)
    yield folder
    la.limit_engine()


def people(path, seed, rows=200):
    rng = random.Random(seed)
    table = pa.table(
        {
            "age": pa.array([rng.choice([31, 32, None, 50]) for _ in range(rows)]),
            "zip": [rng.choice(["02138", "02139", ""]) for _ in range(rows)],
            "born": pa.array([rng.randrange(9000) for _ in range(rows)], pa.date32()),
            "ill": [rng.choice(["flu", "cold", None]) for _ in range(rows)],
        }
    )
    pq.write_table(table, path)
    return path


def scans(monkeypatch):
    """How often a table is counted from now on."""
    seen, plain = [], PackedFileTable.count_groups

    def count_groups(table, *given):
        seen.append(given)
        return plain(table, *given)

    monkeypatch.setattr(PackedFileTable, "count_groups", count_groups)
    return seen


def same(one, two):
    assert one.names == two.names
    assert one.values == two.values
    assert np.array_equal(one.codes, two.codes)
    assert np.array_equal(one.counts, two.counts)
    for name in two.sensitive:
        found = [of.sensitive[name].dense(of.groups) for of in (one, two)]
        assert np.array_equal(*found)


def test_counts_from_the_cache_are_those_of_the_table(tmp_path, cache, monkeypatch):
    path = people(tmp_path / "t.parquet", 1)
    plain = open_table(path)
    asked = [(("age", "zip", "born"), ("ill",)), (("born", "age"), ()), (("zip",), ("ill", "age"))]
    expected = [plain.count_groups(*one) for one in asked]
    seen = scans(monkeypatch)
    for one, there in zip(asked, expected, strict=True):
        same(cached_counts(open_table(path), *one), there)
    assert len(seen) == 1  # the first has all the columns that the others ask for
    assert all(one.stat().st_mode & 0o077 == 0 for one in cache.iterdir())
    assert cache.stat().st_mode & 0o077 == 0


def test_another_policy_costs_no_scan_and_gives_the_same_solution(tmp_path, cache, monkeypatch):
    path = people(tmp_path / "t.parquet", 2)
    hierarchies = {"age": la.bands(10), "zip": la.prefix(), "born": la.dates()}
    policy = la.Policy(quasi_identifiers=hierarchies, sensitive="ill", require=la.KAnonymity(5),
                       suppress=0.1)  # fmt: skip
    first = la.solve(la.prepare(path, policy))
    seen = scans(monkeypatch)
    fewer = la.Policy(quasi_identifiers={"age": la.bands(5), "zip": la.prefix()},
                      sensitive="ill", insensitive="born", require=la.KAnonymity(9))  # fmt: skip
    again, other = la.solve(la.prepare(path, policy)), la.solve(la.prepare(path, fewer))
    assert seen == []
    assert (again.cost, again.proof) == (first.cost, first.proof)
    la.limit_engine()
    assert other.proof == la.solve(la.prepare(path, fewer)).proof
    eligible = la.Policy(quasi_identifiers={"age": la.bands(5)}, insensitive=("born", "zip"),
                         sensitive="ill", eligible={"ill": ["flu"]},
                         require=la.KAnonymity(2))  # fmt: skip
    la.limit_engine(cache=cache)
    assert la.prepare(path, eligible).rows < 200


def test_a_table_that_changed_is_counted_again(tmp_path, cache):
    path = people(tmp_path / "t.parquet", 3)
    before = cached_counts(open_table(path), ("age",))
    people(path, 4, rows=300)
    assert cached_counts(open_table(path), ("age",)).rows == 300 != before.rows


def test_damaged_counts_are_left_alone(tmp_path, cache):
    path = people(tmp_path / "t.parquet", 5)
    expected = cached_counts(open_table(path), ("age", "zip"))
    [kept] = cache.iterdir()
    for file in kept.iterdir():
        file.write_bytes(b"nonsense")
    same(cached_counts(open_table(path), ("age", "zip")), expected)


def test_a_cache_that_cannot_be_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(la.PolicyError, match="cache"):
        la.limit_engine(cache=tmp_path / "file" / "folder")
    if os.getuid():
        (tmp_path / "shut").mkdir(mode=0o500)
        with pytest.raises(la.PolicyError, match="cache"):
            la.limit_engine(cache=tmp_path / "shut")


def test_nodes_of_a_floor_cost_no_scan_for_another_policy(tmp_path, cache, monkeypatch):
    """With k, the cost and the allowance changed; and what is found is what is found without."""
    path = people(tmp_path / "t.parquet", 3, rows=600)
    hierarchies = {"age": la.bands(10), "zip": la.prefix(), "born": la.dates()}

    def asked(**changed):
        told = {"require": la.KAnonymity(4), "suppress": 0.2} | changed
        return la.Policy(quasi_identifiers=hierarchies, sensitive="ill", **told)

    others = [asked(), asked(suppress=0.1), asked(metric=la.Precision())]

    def solved(policy):
        problem = la.prepare(path, policy, hold=20)
        assert not problem.holds_all_tuples
        problem.room = 40
        solution = la.solve(problem)
        return solution.cost, solution.recoding, solution.proof

    first = [solved(policy) for policy in others]
    assert any(one.name.split("-")[1] == "nodes" for one in cache.iterdir())
    assert all(one.stat().st_mode & 0o077 == 0 for one in cache.iterdir())
    for name in ("packed", "estimate_groups", "count_columns"):
        monkeypatch.setattr(PackedFileTable, name, lambda *_: pytest.fail("the table was read"))
    assert [solved(policy) for policy in others] == first
    monkeypatch.undo()
    la.limit_engine()
    assert [solved(policy) for policy in others] == first


def test_what_stands_out_and_how_many_groups_are_kept_as_far_as_they_were_counted(tmp_path, cache):
    class Asked:
        rows, calls = 100, 0

        def small_group_rows(self, levels, size, enough):
            self.calls += 1
            return min(30, enough + 1)

        def approximate_groups(self, levels, max_groups):
            self.calls += 1
            return min(50, max_groups + 1)

    inner = Asked()
    columns = open_table(people(tmp_path / "t.parquet", 4)).count_columns(["zip"])
    cached = CachedRemoteCounts(CacheFolder(tmp_path / "folder"), columns, lambda: inner)
    for ask, answers in (
        (
            partial(cached.small_group_rows, (1,), 3),
            [(10, 11, 1), (5, 11, 1), (20, 21, 2), (40, 30, 3), (7, 30, 3), (90, 30, 3)],
        ),
        (
            partial(cached.approximate_groups, (1,)),
            [(10, 11, 1), (5, 6, 1), (20, 21, 2), (60, 50, 3), (99, 50, 3), (30, 31, 3)],
        ),
    ):
        inner.calls = 0
        for given, found, calls in answers:
            assert (ask(given), inner.calls) == (found, calls)
    folder = CacheFolder(tmp_path / "folder")
    again = CachedRemoteCounts(folder, columns, lambda: pytest.fail("asked"))
    assert again.small_group_rows((1,), 3, 0) == 30
    assert again.approximate_groups((1,), 99) == 50


def test_a_file_with_other_contents_is_another_though_its_size_and_time_are_the_same(
    tmp_path, cache
):
    path, other = tmp_path / "t.csv", tmp_path / "other.csv"
    path.write_text("age\n31\n31\n")
    other.write_text("age\n31\n32\n")
    before = path.stat()
    assert len(cached_counts(open_table(path), ["age"]).counts) == 1
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    path.write_text(other.read_text())  # in its place
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert len(cached_counts(open_table(path), ["age"]).counts) == 2
    path.write_text("age\n33\n33\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert len(cached_counts(open_table(path), ["age"]).counts) == 1
    other.rename(path)  # instead of it
    assert len(cached_counts(open_table(path), ["age"]).counts) == 2
