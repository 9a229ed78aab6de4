"""What a table shows of one column: its values, and how many rows hold each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import Value
from lookalike.policy.cell_text import is_null
from lookalike.policy.draft_roles import ColumnFacts
from lookalike.tables.table import Table

SAMPLE = 20_000  # values that a guess looks at; enough to tell what they are


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """One column: facts to guess from, and all values that are not null with their rows."""

    facts: ColumnFacts
    values: tuple[Value, ...]
    rows: NDArray[np.int64]  # (values,)
    sizes: NDArray[np.int64]  # the same with the nulls as one more value: classes of the column


def profile(table: Table, name: str) -> Profile:
    """Counted by the engine."""
    counts = table.count_groups((name,))
    of_value = counts.marginal(0)
    known = [i for i, value in enumerate(counts.values[0]) if not is_null(value)]
    values = tuple(counts.values[0][i] for i in known)
    rows = of_value[known] if known else np.zeros(0, dtype=np.int64)
    nulls = counts.rows - int(rows.sum())
    step = -(-len(values) // SAMPLE) or 1
    facts = ColumnFacts(
        name=name,
        type=table.types[name],
        rows=counts.rows,
        distinct=len(values),
        nulls=nulls,
        values=values[::step] + ((None,) if nulls else ()),
    )
    return Profile(facts, values, rows, np.append(rows, nulls) if nulls else rows)


def profiles(table: Table) -> tuple[Profile, ...]:
    """Every column, in the table's order."""
    return tuple(profile(table, name) for name in table.columns)
