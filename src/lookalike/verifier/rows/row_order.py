"""Does the order of the released rows tell anything? It does not if it follows from the rows alone.

A release is sorted by every released column. Cells are seen as text here, while the engine sorted
them as what they are: so a column counts as sorted if its numbers are, or its text is.
"""

from __future__ import annotations

from lookalike.tables.table import Table
from lookalike.verifier.finding import Finding


def sorted_rows(released: Table) -> Finding:
    """Are the rows sorted by the first column, ties by the second, and so on, nulls last?"""
    if all(by_text == 0 or by_number == 0 for by_text, by_number in released.count_out_of_order()):
        return Finding("order", True, "The rows are sorted, so their order tells nothing.")
    return Finding("order", False, "The rows are not sorted: their order may tell something.")
