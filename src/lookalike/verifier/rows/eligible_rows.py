"""Check how many rows of the table were eligible, counted again from the original as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lookalike.tables.table import Table
from lookalike.verifier.finding import Finding


def eligible_rows(table: Table, eligible: Mapping[str, Sequence[str]], taken: int) -> Finding:
    """Were as many rows taken as have the values that the policy lists?"""
    listed = [set(values) for values in eligible.values()]
    *columns, counts = table.distinct_text(list(eligible)).to_pydict().values()
    count = total = 0
    for *cells, rows in zip(*columns, counts, strict=True):
        total += rows
        if all(cell in values for cell, values in zip(cells, listed, strict=True)):
            count += rows
    sentence = f"{count:,} of {total:,} rows of the table were eligible"
    if count == taken:
        return Finding("eligible", True, f"{sentence}, by {', '.join(sorted(eligible))}.")
    return Finding("eligible", False, f"{sentence}, but {taken:,} were taken.")
