"""How many rows of the table were eligible, counted once more from the original, as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lookalike.tables.table import Table
from lookalike.verifier.finding import Finding


def eligible_rows(table: Table, eligible: Mapping[str, Sequence[str]], taken: int) -> Finding:
    """Are the rows taken as eligible just as many as have the values that the policy lists?"""
    listed = [set(values) for values in eligible.values()]
    *cells, counts = table.distinct_text(list(eligible)).to_pydict().values()
    found = total = 0
    for *row, rows in zip(*cells, counts, strict=True):
        total += rows
        if all(cell in values for cell, values in zip(row, listed, strict=True)):
            found += rows
    said = f"{found:,} of {total:,} rows of the table were eligible"
    if found == taken:
        return Finding("eligible", True, f"{said}, by {', '.join(eligible)}.")
    return Finding("eligible", False, f"{said}, and {taken:,} were taken.")
