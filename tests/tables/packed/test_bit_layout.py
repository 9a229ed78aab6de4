"""Columns are placed in words."""

from __future__ import annotations

from lookalike.tables.packed.bit_layout import BitLayout


def test_more_columns_take_more_words(several):
    assert [packed.layout.words for packed in several] == [1, 3]
    layout = BitLayout.for_sizes([2**40, 2**24, 1, 3])
    assert layout == BitLayout((40, 24, 0, 2), (24, 0, 0, 0), (0, 0, 0, 1), 2)
    assert BitLayout.for_sizes([1, 2**40, 2**24]).shift == (63, 24, 0)
    assert BitLayout.for_sizes([]).words == 1
