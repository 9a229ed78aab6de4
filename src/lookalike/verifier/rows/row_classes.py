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

from lookalike.errors import Fault, NotSuited
from lookalike.policy.policy import Policy
from lookalike.solution.recoding import CellMap, Levels
from lookalike.solution.solution import Solution
from lookalike.tables.table import Table
from lookalike.verifier.claim.cuts.recoding import shown_columns
from lookalike.verifier.requirements.recount import count_classes
from lookalike.verifier.requirements.suppressed_classes import gone_by_rules

Cells = tuple[str | None, ...]


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
    raw = [rows.column(at[name]).to_pylist() for name in policy.names]
    shown, gone = _shown(table, policy, solution, raw)
    number: dict[Cells, int] = {}
    of = np.array([number.setdefault(labels, len(number)) for labels in shown], dtype=np.int64)
    if gone is None:
        gone = _suppressed(rows, shown, at, policy, solution)
    starred = policy.conventions.suppressed == "star"
    of[gone] = len(number) if starred else -1
    people = list(zip(*(rows.column(at[name]).to_pylist() for name in person), strict=True))
    return RowClasses(people, of, rows.column("count").to_numpy().astype(np.int64))


def _shown(
    table: Table, policy: Policy, solution: Solution, raw: Sequence[Sequence[str | None]]
) -> tuple[list[Cells], NDArray[np.bool_] | None]:
    """The labels of each row; and which are left out, if the recoding says so itself."""
    recoding = solution.recoding
    counts = table.count_groups(policy.names) if isinstance(recoding, CellMap) else None
    known = counts or table.count_columns(policy.names)
    tables = [
        policy.hierarchies[name].tabulate(name, values)
        for name, values in zip(known.names, known.values, strict=True)
    ]
    leaves = []
    for name, column in zip(policy.names, raw, strict=True):
        leaf = table.text_codes(name)
        leaves.append(np.array([leaf[text] for text in column], dtype=np.int64))
    if isinstance(recoding, CellMap):
        assert counts is not None
        if (np.bincount(recoding.group) > 1).any():
            problem = "equal rows were released differently, so who is in which class is not told"
            fix = "release by an algorithm that keeps equal rows together, as flash or mondrian"
            raise NotSuited(Fault("ledger", problem, fix))
        piece = np.empty(counts.groups, dtype=np.int64)
        piece[counts.canonical()[recoding.group]] = np.arange(len(recoding.group))
        place = {tuple(codes): g for g, codes in enumerate(counts.codes.tolist())}
        of_row = [piece[place[codes]] for codes in zip(*(a.tolist() for a in leaves), strict=True)]
        levels = recoding.levels[of_row]
        gone = recoding.gone[of_row]
        cells = [
            [table.labels[max(0, level)][table.codes[leaf, max(0, level)]]
             for leaf, level in zip(leaves[a].tolist(), levels[:, a].tolist(), strict=True)]
            for a, table in enumerate(tables)
        ]  # fmt: skip
        return list(zip(*cells, strict=True)), gone
    if isinstance(recoding, Levels):
        cells = [
            [tables[a].labels[level][code] for code in tables[a].codes[leaves[a], level].tolist()]
            for a, level in enumerate(recoding.levels)
        ]
        return list(zip(*cells, strict=True)), None
    assert recoding is not None
    cells = []
    for a, cut in enumerate(shown_columns(known, tables, policy, recoding)):
        cells.append([str(interval) for interval in cut.codes[leaves[a]].tolist()])
    return list(zip(*cells, strict=True)), None


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
    levels = solution.recoding.levels if isinstance(solution.recoding, Levels) else ()
    judged = [at[name] for name in policy.required_columns]
    flags = gone_by_rules(recoded, classes, places, judged, policy, levels)
    broken = classes.filter(flags)
    bad = set(zip(*(broken.column(place).to_pylist() for place in places), strict=True))
    assert int(pc.sum(broken.column("count")).as_py() or 0) == solution.suppressed
    return np.array([labels in bad for labels in shown], dtype=bool)
