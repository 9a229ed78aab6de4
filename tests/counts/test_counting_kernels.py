"""The compiled kernels against their plain numpy twin."""

import counting_plain as plain
import numpy as np
import pytest

from lookalike.counts import counting_kernels as gather
from lookalike.counts import sensitive_spread as spread
from lookalike.counts.frequency_set import FrequencySet, Histogram
from lookalike.counts.kernel_layout import Prices, encode
from lookalike.counts.level_table import LevelTable


def random_table(rng, leaves, name):
    """A random nested hierarchy over ``leaves`` values."""
    columns = [np.arange(leaves)]
    width = leaves
    while width > 1 and rng.random() < 0.8:
        merged = rng.integers(0, max(1, width // 2) + 1, size=width)
        columns.append(np.unique(merged, return_inverse=True)[1][columns[-1]])
        width = columns[-1].max() + 1
    columns.append(np.zeros(leaves, dtype=int))
    codes = np.stack(columns, axis=1).astype(np.int32)
    labels = [
        tuple(f"{level}:{c}" for c in range(codes[:, level].max() + 1))
        for level in range(codes.shape[1] - 1)
    ]
    under = [np.bincount(codes[:, level]) for level in range(codes.shape[1])]
    return LevelTable(name, codes, (*labels, ("*",)), tuple(under))


def random_counts(rng, attributes, widest, groups):
    widths = rng.integers(1, widest + 1, size=attributes)
    codes = np.unique(
        np.stack([rng.integers(0, w, size=groups) for w in widths], axis=1), axis=0
    ).astype(np.int32)
    counts = rng.integers(1, 9, size=len(codes))
    entries = rng.integers(0, len(codes), size=3 * len(codes))
    labels = Histogram(
        ("a", "b", "c"),
        entries,
        rng.integers(0, 3, size=len(entries)).astype(np.int32),
        rng.integers(1, 4, size=len(entries)),
    )
    names = tuple(f"q{a}" for a in range(attributes))
    values = tuple(tuple(range(w)) for w in widths)
    tables = tuple(random_table(rng, int(w), n) for w, n in zip(widths, names, strict=True))
    return FrequencySet(names, values, codes, counts, {"label": labels}), tables


def as_multiset(encoded, classes, levels):
    """Classes whatever their order: released codes, size, histogram."""
    codes = encoded.codes(levels, classes.member)
    labels = np.zeros((len(classes), 0), dtype=int) if classes.labels is None else classes.labels
    held = np.zeros((len(classes), 3), dtype=int)
    for one in classes.spreads.values():
        assert (np.diff(one.of * 3 + one.code) > 0).all()  # class by class, each value once
        held[one.of, one.code] = one.count
    return sorted(
        (tuple(c), int(s), tuple(h), tuple(e))
        for c, s, h, e in zip(
            codes.tolist(), classes.sizes, labels.tolist(), held.tolist(), strict=True
        )
    )


@pytest.mark.parametrize("seed", range(60))
def test_gathering_agrees_with_its_plain_twin_from_the_ground_and_by_roll_up(seed):
    rng = np.random.default_rng(seed)
    # wide domains leave the packed integer behind: 14 columns of up to 90 values are past 2^62
    attributes, widest = [(3, 6), (5, 40), (14, 90), (1, 600)][seed % 4]
    counts, tables = random_counts(rng, attributes, widest, int(rng.integers(1, 400)))
    encoded = encode(
        counts, tables, "label" if seed % 2 else None, counts.sensitive if seed % 3 else None
    )
    fine = np.array([rng.integers(0, t.height + 1) for t in tables])
    coarse = np.array([rng.integers(f, t.height + 1) for f, t in zip(fine, tables, strict=True)])
    expected = plain.gather(encoded, encoded.ground, coarse)
    found = gather.gather(encoded, encoded.ground, coarse)
    stop = gather.gather(encoded, encoded.ground, fine)
    rolled = gather.gather(encoded, stop, coarse)
    assert as_multiset(encoded, found, coarse) == as_multiset(encoded, expected, coarse)
    assert as_multiset(encoded, rolled, coarse) == as_multiset(encoded, expected, coarse)
    assert found.sizes.sum() == counts.rows


def test_the_wide_domains_of_these_tests_do_not_fit_one_integer():
    rng = np.random.default_rng(2)
    _, tables = random_counts(rng, 14, 90, 300)
    assert np.prod([float(t.leaves) for t in tables]) > gather.ONE_INTEGER


@pytest.mark.parametrize("dense", [0, 1 << 16])
def test_entries_are_put_together_alike_by_sorting_and_in_a_matrix(dense, monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.setattr(spread, "DENSE_CELLS", dense)
    of, code = rng.integers(0, 900, 60), rng.integers(0, 500, 60)
    of, code = np.append(of, of[:30]), np.append(code, code[:30])
    count = rng.integers(1, 9, 90)
    expected = {}
    for key, rows in zip(zip(of.tolist(), code.tolist(), strict=True), count, strict=True):
        expected[key] = expected.get(key, 0) + int(rows)
    found = spread.tally(of, code, count, 900, 500)
    assert [*zip(*(part.tolist() for part in found), strict=True)] == [
        (*key, rows) for key, rows in sorted(expected.items())
    ]


@pytest.mark.parametrize("seed", range(20))
def test_weighing_agrees_with_its_plain_twin(seed):
    rng = np.random.default_rng(seed)
    counts, tables = random_counts(rng, 4, 12, 200)
    encoded = encode(counts, tables)
    levels = np.array([rng.integers(0, t.height + 1) for t in tables])
    classes = gather.gather(encoded, encoded.ground, levels)
    broken = rng.random(len(classes)) < 0.5
    offset = np.zeros(encoded.offset.shape, dtype=np.int64)
    parts = []
    for a, table in enumerate(tables):
        for level in range(table.height + 1):
            offset[a, level] = sum(map(len, parts))
            parts.append(rng.random(len(table.labels[level]) * (level + 1)))
    prices = Prices(np.concatenate(parts), offset)
    found = gather.weigh(encoded, classes, levels, broken, prices)
    expected = plain.weigh(encoded, classes, levels, broken, prices)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_no_groups_make_no_classes():
    table = LevelTable(
        "q",
        np.zeros((0, 2), dtype=np.int32),
        ((), ("*",)),
        (np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)),
    )
    counts = FrequencySet(("q",), ((),), np.zeros((0, 1), dtype=np.int32), np.zeros(0, dtype=int))
    encoded = encode(counts, (table,))
    assert len(gather.gather(encoded, encoded.ground, np.array([1]))) == 0
