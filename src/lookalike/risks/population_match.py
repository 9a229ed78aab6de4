"""Match a table with the population from which it was drawn: people who look like each class.

Cells are matched exactly, by their text. People are counted by the rows of the population's table,
or by a column that has the number of people of each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import Value
from lookalike.counts.tuple_keys import numbered_tuples
from lookalike.errors import Fault, PolicyError
from lookalike.policy.cell_text import is_null, text
from lookalike.policy.hierarchies.number_reading import number
from lookalike.tables.table import Table


@dataclass(frozen=True, slots=True)
class PopulationSummary:
    """What the population's table shows about the table as a whole."""

    people: float  # in all
    unique: int  # rows of the table that are unique in the population too
    missing: int  # rows of classes that have more rows in the table than people


@dataclass(frozen=True, slots=True, eq=False)
class PopulationMatch:
    """The people who look like each class, at least as many as its rows; and a summary."""

    lookalikes: NDArray[np.float64]  # (classes,)
    population: PopulationSummary


def count_people(
    table: Table, names: Sequence[str], count: str | None = None
) -> tuple[FrequencySet, NDArray[np.float64]]:
    """The groups of a population over some columns, and the number of people of each.

    People are counted by rows, or by the numbers in the column ``count``.
    """
    _check_columns(names, table, count)
    groups = table.count_groups(names, (count,) if count else ())
    return groups, _people(groups, count)


def match(
    counts: FrequencySet, groups: FrequencySet, people: NDArray[np.float64]
) -> PopulationMatch:
    """Look up each class of ``counts`` in the population, which is counted over the same columns.

    If the population has fewer people than the table has rows, it is not the population of the
    table, or cells are written differently. Then the rows of the table are used, which gives the
    highest possible risk; the summary has the number of these rows.
    """
    ours, theirs = _numbered(counts, groups)
    known = np.bincount(theirs, weights=people, minlength=int(ours.max(initial=-1)) + 1)[ours]
    rows = counts.counts
    lookalikes = np.maximum(known, rows)
    summary = PopulationSummary(
        float(people.sum()),
        int(rows[(lookalikes == 1) & (known >= rows)].sum()),
        int(rows[known < rows].sum()),
    )
    return PopulationMatch(lookalikes, summary)


def _check_columns(names: Sequence[str], table: Table, count: str | None) -> None:
    has = f"use one of: {', '.join(table.columns)}"
    faults = [
        Fault("population", f"its table has no column {name}", has)
        for name in names
        if name not in table.columns
    ]
    if count is not None and (count not in table.columns or count in names):
        problem = "it is a column to match by" if count in names else "its table has no such column"
        faults.append(Fault(f"population_count.{count}", problem, has))
    if faults:
        raise PolicyError(faults)


def _people(there: FrequencySet, count: str | None) -> NDArray[np.float64]:
    """(groups,) the people of each group of the population's table."""
    if count is None:
        return there.counts.astype(np.float64)
    spread = there.sensitive[count]
    each = [number(value) for value in spread.values]
    wrong = [value for value in each if value is None or not value.is_finite() or value < 0]
    if wrong:
        problem = f"{len(wrong)} of its {len(each)} values are not a number of people"
        raise PolicyError(
            Fault(f"population_count.{count}", problem, "give a column of numbers, 0 or more")
        )
    weights = np.array([float(value) for value in each if value is not None])
    people = np.zeros(there.groups)
    np.add.at(people, spread.group, weights[spread.code] * spread.count)
    return people


def _numbered(
    ours: FrequencySet, theirs: FrequencySet
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A number for each group, the same in both tables if all cells have the same text."""
    columns = []
    for a in range(len(ours.names)):
        code: dict[str | None, int] = {}
        both = [
            _text_codes(counts.values[a], code)[counts.codes[:, a]] for counts in (ours, theirs)
        ]
        columns.append(np.concatenate(both))
    number, _ = numbered_tuples(columns, ours.groups + theirs.groups)
    return number[: ours.groups], number[ours.groups :]


def _text_codes(values: tuple[Value, ...], code: dict[str | None, int]) -> NDArray[np.int64]:
    """(values,) a number for each text, a new one for a new text; null is not a text."""
    texts = (None if is_null(value) else text(value) for value in values)
    return np.array([code.setdefault(cell, len(code)) for cell in texts], dtype=np.int64)
