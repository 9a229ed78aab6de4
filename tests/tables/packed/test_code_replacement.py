"""Codes are replaced, and suppressed rows left out, as numpy does it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from packed_tables import keys_of, random_luts

from lookalike.tables.packed.packed_rows import PackedRows


def copied(packed):
    return PackedRows(
        packed.names, packed.values, packed.layout, packed.rows, [w.copy() for w in packed.words]
    )


@pytest.mark.parametrize("star", [False, True])
@pytest.mark.parametrize("share", [0, 0.3, 1])
def test_recoded_rows_are_those_of_numpy(several, star, share):
    rng = np.random.default_rng(3)
    for packed, keyed in itertools.product(several, (30, 1 << 50)):
        luts = [random_luts(rng, packed, 1 << 50) for _ in range(2)]
        starred = [random_luts(rng, packed, 1 << 50) for _ in range(2)]
        key_luts = random_luts(rng, packed, keyed, none=0.5)
        keys = keys_of(packed, key_luts)
        gone = np.unique(keys)
        gone = gone[rng.random(len(gone)) < share]
        lost = np.isin(keys, gone)
        for many in (1, 2):
            held = copied(packed)
            found = held.recode(luts[:many], key_luts, gone, starred[:many] if star else None)
            assert len(found) == many
            assert held.words == []
            for words, new, other in zip(found, luts, starred, strict=False):
                plain = np.where(lost, keys_of(packed, other), keys_of(packed, new))
                assert np.array_equal(words, plain if star else plain[~lost])


def test_keys_that_look_like_free_places_of_the_set(several):
    packed = several[0]
    luts = [np.arange(len(packed.values[0]), dtype=np.uint64), None, None, None, None]
    for gone in ([], [0], [0, 1, 2], [1, 2], list(range(len(packed.values[0])))):
        [words] = copied(packed).recode([luts], luts, np.array(gone, np.uint64))
        keys = keys_of(packed, luts)
        assert np.array_equal(words, keys[~np.isin(keys, gone)])
