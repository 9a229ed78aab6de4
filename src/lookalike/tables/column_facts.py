"""What may be known of a column before guessing: its values, counted by the engine."""

from __future__ import annotations

from lookalike.policy.cell_text import is_null
from lookalike.policy.draft import ColumnFacts
from lookalike.tables.table import Table

SAMPLE = 20_000  # values looked at; enough to tell what they are


def column_facts(table: Table, name: str) -> ColumnFacts:
    """Count one column. Of very many values an even sample is looked at."""
    counts = table.count_groups((name,))
    values = counts.values[0]
    of_value = counts.marginal(0)
    nulls = sum(int(of_value[i]) for i, value in enumerate(values) if is_null(value))
    known = [value for value in values if not is_null(value)]
    step = -(-len(known) // SAMPLE) or 1
    return ColumnFacts(
        name=name,
        type=table.types[name],
        rows=counts.rows,
        distinct=len(known),
        nulls=nulls,
        values=tuple(known[::step]) + ((None,) if nulls else ()),
    )
