"""Which row of an original lies in which class of its release: what the releases of one population
are compared by.

Read from the original and recoded here, as when a release is verified: the released table itself
does not tell who is who.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from lookalike.policy.policy import Policy
from lookalike.solution.recoding import Space
from lookalike.solution.solution import Solution
from lookalike.tables.table import Table
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.requirements.recount import count_classes
from lookalike.verifier.requirements.suppressed_classes import gone_by_rules
from lookalike.verifier.rows.recoding_labels import Cells, labels_of


@dataclass(frozen=True, slots=True, eq=False)
class RowClasses:
    """Distinct rows over the columns that tell people apart, with their class."""

    people: list[Cells]  # the cells of those columns, as text
    of: NDArray[np.int64]  # the class; −1 of a row that was left out
    rows: NDArray[np.int64]  # how many rows are so


def row_classes(
    original: Table, policy: Policy, solution: Solution, person: Sequence[str]
) -> RowClasses:
    """The class of every eligible row; rows starred because they were suppressed are a class."""
    table = original.eligible_rows(policy.eligible)
    columns = list(dict.fromkeys([*person, *policy.names, *policy.required_columns]))
    at = {name: f"c{i}" for i, name in enumerate(columns)}
    rows = table.distinct_text(columns)
    assert solution.recoding is not None
    by_cell = solution.recoding.space is Space.CELL_LEVEL
    count = table.count_groups if by_cell else table.count_columns
    labels = labels_of(CountedOriginal.of(count(policy.names), policy), solution.recoding)
    values = []
    for name in policy.names:
        codes = table.text_codes(name)
        cells = rows.column(at[name]).to_pylist()
        values.append(np.array([codes[cell] for cell in cells], dtype=np.int64))
    shown, gone = labels.by_row(values)
    number: dict[Cells, int] = {}
    of = np.array([number.setdefault(labels, len(number)) for labels in shown], dtype=np.int64)
    if gone is None:
        gone = _suppressed(rows, shown, at, policy, solution)
    starred = policy.conventions.suppressed == "star"
    of[gone] = len(number) if starred else -1
    people = list(zip(*(rows.column(at[name]).to_pylist() for name in person), strict=True))
    return RowClasses(people, of, rows.column("count").to_numpy().astype(np.int64))


def _suppressed(
    rows: Any, shown: Sequence[Cells], at: dict[str, str], policy: Policy, solution: Solution
) -> NDArray[np.bool_]:
    """Which rows must be suppressed, by what the policy requires of the classes."""
    recoded = rows
    for a, name in enumerate(policy.names):
        place = recoded.schema.get_field_index(at[name])
        recoded = recoded.set_column(place, at[name], [[labels[a] for labels in shown]])
    places = [at[name] for name in policy.names]
    classes = count_classes(recoded, places)
    assert solution.recoding is not None
    levels = solution.recoding.node or ()
    judged = [at[name] for name in policy.required_columns]
    flags = gone_by_rules(recoded, classes, places, judged, policy, levels)
    broken = classes.filter(flags)
    bad = set(zip(*(broken.column(place).to_pylist() for place in places), strict=True))
    assert int(pc.sum(broken.column("count")).as_py() or 0) == solution.suppressed
    return np.array([labels in bad for labels in shown], dtype=bool)
