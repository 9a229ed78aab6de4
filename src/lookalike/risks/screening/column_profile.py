"""The profile of a column: its values, the rows of each, and facts to guess its role from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import Value
from lookalike.policy.cell_text import is_null
from lookalike.policy.draft_roles import ColumnFacts
from lookalike.tables.table import Table

MAX_VALUES = 20_000  # values that a guess is based on; enough to recognize them


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """One column: facts to guess from, and all values other than null with their rows."""

    facts: ColumnFacts
    values: tuple[Value, ...]
    rows: NDArray[np.int64]  # (values,)
    sizes: NDArray[np.int64]  # (classes,) the same, with null as one more value


def profile(table: Table, name: str) -> Profile:
    """Count one column with the engine; facts of very many values use an even sample."""
    counts = table.count_groups((name,))
    of_value = counts.marginal(0)
    known = [i for i, value in enumerate(counts.values[0]) if not is_null(value)]
    values = tuple(counts.values[0][i] for i in known)
    rows = of_value[known] if known else np.zeros(0, dtype=np.int64)
    nulls = counts.rows - int(rows.sum())
    step = -(-len(values) // MAX_VALUES) or 1
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
    """The profiles of all columns, in the order of the table."""
    return tuple(profile(table, name) for name in table.columns)
