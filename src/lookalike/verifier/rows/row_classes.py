"""The class of each row of an original in its release, by which several releases are compared.

The original is read and recoded here, as when a release is verified, because the released table
itself does not say who is who.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc

from lookalike.policy.policy import Policy
from lookalike.solution.recoding import Space
from lookalike.solution.solution import Solution
from lookalike.tables.table import Table
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.requirements.sensitive_counts import Flags, Whole, number_tuples
from lookalike.verifier.requirements.suppressed_classes import suppressed_classes
from lookalike.verifier.rows.recoding_labels import Cells, labels_of


@dataclass(frozen=True, slots=True, eq=False)
class RowClasses:
    """Distinct rows over the columns that identify a person, with their class."""

    people: list[Cells]  # (distinct rows,) the cells of those columns, as text
    of: Whole  # (distinct rows,) the class; −1 where the row is suppressed
    rows: Whole  # (distinct rows,) how many rows each stands for


def row_classes(
    original: Table, policy: Policy, solution: Solution, person: Sequence[str]
) -> RowClasses:
    """The class of every eligible row; rows starred because they were suppressed are one class."""
    table = original.eligible_rows(policy.eligible)
    columns = list(dict.fromkeys([*person, *policy.names, *policy.required_columns]))
    place = {name: f"c{i}" for i, name in enumerate(columns)}
    rows = table.distinct_text(columns)
    assert solution.recoding is not None
    by_cell = solution.recoding.space is Space.CELL_LEVEL
    count = table.count_groups if by_cell else table.count_columns
    labels = labels_of(CountedOriginal.of(count(policy.names), policy), solution.recoding)
    leaves = []
    for name in policy.names:
        codes = table.text_codes(name)
        cells = rows.column(place[name]).to_pylist()
        leaves.append(np.array([codes[cell] for cell in cells], dtype=np.int64))
    shown, gone = labels.by_row(leaves)
    if gone is None:
        gone = _suppressed(rows, shown, place, policy, solution)
    of = number_tuples(shown)
    starred = policy.conventions.suppressed == "star"
    of[gone] = int(of.max(initial=-1)) + 1 if starred else -1
    people = list(zip(*(rows.column(place[name]).to_pylist() for name in person), strict=True))
    return RowClasses(people, of, rows.column("count").to_numpy().astype(np.int64))


def _suppressed(
    rows: Any, shown: Sequence[Cells], place: dict[str, str], policy: Policy, solution: Solution
) -> Flags:
    """(rows,) which rows must be suppressed, by the requirements of the policy."""
    recoded = rows
    places = [place[name] for name in policy.names]
    for a, name in enumerate(places):
        at = recoded.schema.get_field_index(name)
        recoded = recoded.set_column(at, name, [[labels[a] for labels in shown]])
    assert solution.recoding is not None
    broken = suppressed_classes(recoded, place, policy, solution.recoding.node or ())
    known = set(zip(*(broken.column(name).to_pylist() for name in places), strict=True))
    assert int(pc.sum(broken.column("count")).as_py() or 0) == solution.suppressed
    return np.array([labels in known for labels in shown], dtype=bool)
