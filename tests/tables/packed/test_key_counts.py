"""Keys are counted as numpy counts them."""

from __future__ import annotations

import numpy as np
import pytest
from packed_tables import keys_of, random_luts

from lookalike.tables.packed import threads
from lookalike.tables.packed.key_counts import count_rows
from lookalike.tables.packed.node_counts import NO_LIMIT


@pytest.mark.parametrize("most", [3, 1 << 16, 1 << 40])
def test_counts_are_those_of_numpy(several, most):
    rng = np.random.default_rng(most)
    for packed in several * 3:
        luts = random_luts(rng, packed, most)
        keys, counts = np.unique(keys_of(packed, luts), return_counts=True)
        found = packed.count(luts, NO_LIMIT)
        assert np.array_equal(found[0], keys)
        assert np.array_equal(found[1], counts)
        assert packed.count(luts, len(keys)) is not None
        assert packed.count(luts, len(keys) - 1) is None


def test_many_groups_make_the_tables_grow(monkeypatch):
    monkeypatch.setattr(threads, "CHUNK_ROWS", 1 << 14)
    rng = np.random.default_rng(8)
    words = rng.integers(0, 60_000, 200_000, dtype=np.uint64) * np.uint64(2**48 + 1)
    words[:2] = 0, 2**64 - 1
    keys, counts = np.unique(words, return_counts=True)
    [found], many = count_rows([words], NO_LIMIT)
    assert np.array_equal(found, keys)
    assert np.array_equal(many, counts)
    assert count_rows([words], len(keys) - 1) is None


def test_groups_of_several_words(several):
    for packed in several:
        words, counts = count_rows(packed.words, NO_LIMIT)
        rows, expected = np.unique(np.stack(packed.words), axis=1, return_counts=True)
        assert np.array_equal(np.stack(words), rows)
        assert np.array_equal(counts, expected)
        assert count_rows(packed.words, len(counts) - 1) is None
