"""Words are sorted as numpy sorts them."""

from __future__ import annotations

import numpy as np
import pytest
from packed_tables import unpacked

from lookalike.tables.packed.sorting import count_sorted, sort_rows, sort_words


def test_sorting_words_sorts_rows(several):
    for packed in several:
        found = unpacked(packed, sort_rows([word.copy() for word in packed.words]))
        order = [(name, "ascending") for name in packed.names]
        assert found.equals(unpacked(packed).sort_by(order))


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
    found = sort_words(unsorted.copy())
    assert np.array_equal(found, expected)
    [once], counts = count_sorted([found])
    assert [a.tolist() for a in np.unique(expected, return_counts=True)] == [
        once.tolist(),
        counts.tolist(),
    ]
