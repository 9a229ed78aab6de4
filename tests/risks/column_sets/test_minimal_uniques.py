"""Minimal sample uniques and separation, against counting every set of columns by hand."""

from collections import Counter
from itertools import combinations
from math import prod

import numpy as np
import pyarrow as pa
import pytest

import lookalike as la
from lookalike.counts.frequency_set import FrequencySet
from lookalike.risks.column_sets import separation
from lookalike.risks.column_sets.column_subsets import affordable_size, walk
from lookalike.risks.column_sets.column_subsets_kernels import refine
from lookalike.risks.column_sets.minimal_uniques import minimal_uniques, score_rows


def random_rows(rng):
    columns = int(rng.integers(1, 7))
    widths = rng.integers(1, 6, size=columns)
    rows = int(rng.integers(1, 40))
    return [tuple(int(rng.integers(w)) for w in widths) for _ in range(rows)]


def frequency_set(rows):
    held = Counter(rows)
    order = sorted(held)
    names = tuple(f"c{a}" for a in range(len(rows[0])))
    values = tuple(tuple(range(max(row[a] for row in rows) + 1)) for a in range(len(names)))
    codes = np.array(order, dtype=np.int32).reshape(len(order), len(names))
    return FrequencySet(names, values, codes, np.array([held[row] for row in order])), order


def by_hand(rows, size):
    """(row, set of columns) for each row that is alone over the set and over no subset of it."""
    columns = range(len(rows[0]))
    unique = set()
    minimal = []
    for m in range(1, min(size, len(rows[0])) + 1):
        for chosen in combinations(columns, m):
            held = Counter(tuple(row[a] for a in chosen) for row in rows)
            for i, row in enumerate(rows):
                if held[tuple(row[a] for a in chosen)] == 1:
                    unique.add((i, chosen))
                    smaller = (s for k in range(1, m) for s in combinations(chosen, k))
                    if not any((i, s) in unique for s in smaller):
                        minimal.append((i, chosen))
    return minimal


def score(columns, size, m):
    return prod(columns - i for i in range(m, min(size, columns)))


@pytest.mark.parametrize("seed", range(300))
def test_minimal_uniques_are_those_found_by_hand(seed):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng)
    size = int(rng.integers(1, 6))
    counts, order = frequency_set(rows)
    found = minimal_uniques(counts, size)
    expected = by_hand(rows, size)
    assert found.by_set == Counter(chosen for _, chosen in expected)

    scores = dict.fromkeys(order, 0)
    for i, chosen in expected:
        scores[rows[i]] += score(len(rows[0]), size, len(chosen))
    assert found.scores.tolist() == [scores[row] for row in order]

    said = found.summary()
    assert said.uniques == len(expected)
    assert said.rows == len({i for i, _ in expected})
    for m, count in enumerate(said.by_size, 1):
        assert count == len({i for i, chosen in expected if len(chosen) == m})
    total = sum(scores.values())
    for one in said.columns:
        part = sum(
            score(len(rows[0]), size, len(chosen))
            for _, chosen in expected
            if int(one.name[1:]) in chosen
        )
        assert one.share == pytest.approx(part / total if total else 0)
    assert said.highest == max(scores.values())
    assert said.mean == pytest.approx(total / len(rows))


@pytest.mark.parametrize("seed", range(40))
def test_every_row_gets_its_score_in_the_order_of_the_table(seed):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng)
    names = [f"c{a}" for a in range(len(rows[0]))]
    cells = {name: [None if row[a] == 0 else f"v{row[a]}" for row in rows]
             for a, name in enumerate(names)}  # fmt: skip
    table = pa.table({name: pa.array(column, pa.string()) for name, column in cells.items()})
    expected = [0] * len(rows)
    for i, chosen in by_hand(rows, 3):
        expected[i] += score(len(names), 3, len(chosen))
    assert score_rows(table, names, 3).tolist() == expected


@pytest.mark.parametrize("seed", range(60))
def test_distinction_and_separation_are_those_counted_by_hand(seed, monkeypatch):
    monkeypatch.setattr(separation, "SETS_PER_SIZE", 10**6)
    rng = np.random.default_rng(seed)
    rows = random_rows(rng)
    counts, _ = frequency_set(rows)
    pairs = list(combinations(rows, 2))
    separating = separation.MostSeparating(counts)
    for step in walk(counts, 4):
        separating.add(step)
    together = separation.separation_of(counts.names, counts.counts)
    found = [*separation.single_columns(counts), *separating.best(), together]
    wanted = {s for m in range(1, 5) for s in combinations(counts.names, m)} | {counts.names}
    assert {one.names for one in found} == wanted
    for one in found:
        at = [int(name[1:]) for name in one.names]
        assert one.distinction == len({tuple(r[a] for a in at) for r in rows}) / len(rows)
        apart = sum(any(x[a] != y[a] for a in at) for x, y in pairs)
        assert one.separation == pytest.approx(apart / len(pairs) if pairs else 0)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("room", [1, 64])
def test_refining_agrees_with_its_plain_twin(seed, room):
    """With little room keys are hashed, with more they are slots themselves."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 50))
    classes, width = int(rng.integers(1, 9)), int(rng.integers(1, 200))
    rows = rng.permutation(200)[:n].astype(np.int32)
    ids = rng.integers(classes, size=n).astype(np.int32)
    codes = rng.integers(width, size=200).astype(np.int32)
    counts = rng.integers(1, 3, size=200)
    slots = np.full(room * (1 << (2 * n).bit_length()), -1, dtype=np.int32)
    alone, others, of, kept, found, alike = refine(rows, ids, classes, codes, width, counts, slots)
    total = Counter()
    for row, i in zip(rows, ids, strict=True):
        total[i, codes[row]] += int(counts[row])
    pairs = [(row, (i, codes[row])) for row, i in zip(rows, ids, strict=True)]
    assert alone.tolist() == [row for row, key in pairs if total[key] == 1]
    assert others.tolist() == [row for row, key in pairs if total[key] > 1]
    assert found == len(total)
    assert kept == sum(size > 1 for size in total.values()) == len(set(of.tolist()))
    key_of = {}
    for row, i in zip(others, of, strict=True):
        key = next(key for one, key in pairs if one == row)
        assert key_of.setdefault(i, key) == key
    assert alike == sum(size * (size - 1) for size in total.values())
    assert (slots == -1).all()


def test_every_set_comes_after_its_subsets():
    counts, _ = frequency_set([(0, 1, 2, 0), (1, 0, 2, 3), (0, 0, 0, 1)])
    seen = set()
    for step in walk(counts, 3):
        for fewer in combinations(step.columns, len(step.columns) - 1):
            assert not fewer or fewer in seen
        seen.add(step.columns)
    assert len(seen) == 4 + 6 + 4


def test_large_tables_are_looked_at_less_deeply():
    few, _ = frequency_set([(0,) * 6, (1,) * 6])
    assert affordable_size(few) == 4
    assert affordable_size(few, 9) == 6
    wide = FrequencySet(
        tuple(f"c{a}" for a in range(300)),
        ((0, 1),) * 300,
        np.zeros((5000, 300), dtype=np.int32),
        np.ones(5000, dtype=np.int64),
    )
    assert affordable_size(wide) == 2


def test_values_that_would_not_fit_one_integer():
    """Four columns of a million values each have more combinations than an integer."""
    rng = np.random.default_rng(0)
    table = pa.table({f"c{a}": rng.integers(0, 2**40, size=3000) for a in range(5)})
    risk = la.risk(table, table.column_names, combinations=True)
    assert risk.combinations.by_size == (3000, 0, 0, 0)
    assert [column.unique_without for column in risk.columns] == [3000] * 5


def test_measure_offers_them():
    table = pa.table({"x": ["a", "a", "b"], "y": ["c", "d", "c"]})
    assert la.risk(table, ["x", "y"]).combinations is None
    assert la.risk(table, ["x", "y"], combinations=0).combinations is None
    found = la.risk(table, ["x", "y"], combinations=True).combinations
    # b alone by x; a,d alone by y; a,c by both. Of two columns: a set of one counts 2 - 1, of two 1
    assert [(one.names, one.uniques) for one in found.sets] == [
        (("x",), 1),
        (("y",), 1),
        (("x", "y"), 1),
    ]
    assert (found.size, found.uniques, found.rows, found.by_size) == (2, 3, 3, (2, 1))
    assert la.risk(table, ["x", "y"], combinations=1).combinations.by_size == (2,)


@pytest.mark.parametrize(
    ("columns", "size"), [("x", 4), ([], 4), (["x"], -1), (["x"], "many")], ids=str
)
def test_scores_of_what_makes_no_sense_are_a_fault(columns, size):
    with pytest.raises(la.PolicyError):
        la.score_rows(pa.table({"x": ["a"]}), columns, size)


def test_an_empty_table_has_none():
    empty = pa.table({"x": pa.array([], pa.string()), "y": pa.array([], pa.string())})
    found = la.risk(empty, ["x", "y"], combinations=True).combinations
    assert (found.uniques, found.rows, found.highest, found.mean) == (0, 0, 0, 0)
