"""Distinct cells are numbered, also those with the same hash."""

from __future__ import annotations

import pyarrow as pa

from lookalike.tables.packed import interning


def test_long_cells_with_the_same_hash_are_compared():
    column = interning.InternedCells(pa.string(), 9)
    assert column.numbers(pa.array(["a long text", "short", "a long text"]), False).tolist() == [
        0,
        1,
        0,
    ]
    column._heap[10] += 1  # now it is another text with that hash
    assert column.numbers(pa.array(["a long text"]), False).tolist() == [2]
    column._stops[2:] -= 1  # and now one of another length
    assert column.numbers(pa.array(["a long text"]), False).tolist() == [3]
