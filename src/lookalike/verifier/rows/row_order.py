"""Check that the released rows are sorted, so that their order discloses nothing.

A release is sorted by every released column. The verifier sees cells as text, while the engine
sorted them by their types. So a column counts as sorted if its numbers are, or if its text is.
"""

from __future__ import annotations

from lookalike.tables.table import Table
from lookalike.verifier.finding import Finding


def sorted_rows(released: Table) -> Finding:
    """Are the rows sorted by the first column, ties by the second, and so on, nulls last?"""
    if all(0 in counts for counts in released.count_out_of_order()):  # by text, or by number
        return Finding("order", True, "The rows are sorted, so their order reveals nothing.")
    return Finding("order", False, "The rows are not sorted: their order may reveal something.")
