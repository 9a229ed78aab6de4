"""Check that the released rows are sorted, so that their order discloses nothing.

A release is sorted by every released column. The verifier sees cells as text, while the engine
sorted them by their types. So a column counts as sorted if its numbers are, or if its text is.
"""

from __future__ import annotations

from lookalike.tables.table import Table
from lookalike.verifier.finding import Finding


def sorted_rows(released: Table) -> Finding:
    """Are the rows sorted by the first column, ties by the second, and so on, nulls last?"""
    if all(by_text == 0 or by_number == 0 for by_text, by_number in released.count_out_of_order()):
        return Finding("order", True, "The rows are sorted, so their order reveals nothing.")
    sentence = "The rows are not sorted: their order may reveal something."
    return Finding("order", False, sentence)
