"""A table met with the population it was drawn from: how many people look like each class.

Cells are matched exactly, by their text. People are counted by rows of the population's table, or
by a column of it that says how many each row stands for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import Value
from lookalike.counts.tuple_keys import tuple_keys
from lookalike.errors import Fault, PolicyError
from lookalike.policy.cell_text import is_null, text
from lookalike.policy.hierarchies.number_reading import number
from lookalike.tables.table import Table


@dataclass(frozen=True, slots=True)
class Population:
    """What a population's table says of the table as a whole."""

    people: float  # in all
    unique: int  # rows of the table that are one of a kind in the population too
    missing: int  # rows of the table that the population has fewer of than the table


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """People who look like each class, never fewer than its rows, and the whole."""

    lookalikes: NDArray[np.float64]  # (classes,)
    population: Population


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """A population's table, counted: its groups, and how many people each stands for."""

    groups: FrequencySet
    people: NDArray[np.float64]  # (groups,)


def count_people(table: Table, names: Sequence[str], count: str | None = None) -> People:
    """Count a population over some columns, by rows or by the numbers in a column ``count``."""
    _check_columns(names, table, count)
    groups = table.count_groups(names, (count,) if count else ())
    return People(groups, _people(groups, count))


def match(counts: FrequencySet, population: People) -> Matched:
    """Look up each class of ``counts`` in the population, which was counted over its columns.

    Where the population has fewer people than the table has rows, it cannot be the population of
    the table, or cells are written in another way; the rows of the table are then taken, which
    gives the highest risk that there can be, and how many rows this concerns is told.
    """
    people = population.people
    ours, theirs = _keys(counts, population.groups)
    keys, of = np.unique(theirs, return_inverse=True)
    totals = np.bincount(of.reshape(-1), weights=people, minlength=len(keys))
    place = np.searchsorted(keys, ours)
    place[place == len(keys)] = 0
    found = np.zeros(len(ours))
    if len(keys):
        found = np.where(keys[place] == ours, totals[place], 0.0)
    rows = counts.counts
    lookalikes = np.maximum(found, rows)
    whole = Population(
        float(people.sum()),
        int(rows[(lookalikes == 1) & (found >= rows)].sum()),
        int(rows[found < rows].sum()),
    )
    return Matched(lookalikes, whole)


def _check_columns(names: Sequence[str], table: Table, count: str | None) -> None:
    has = f"use one of: {', '.join(table.columns)}"
    faults = [
        Fault("population", f"its table has no column {name}", has)
        for name in names
        if name not in table.columns
    ]
    if count is not None and (count not in table.columns or count in names):
        problem = "is a column to match by" if count in names else "its table has no such column"
        faults.append(Fault(f"population_count.{count}", problem, has))
    if faults:
        raise PolicyError(faults)


def _people(there: FrequencySet, count: str | None) -> NDArray[np.float64]:
    """How many each group of the population's table stands for."""
    if count is None:
        return there.counts.astype(np.float64)
    spread = there.sensitive[count]
    each = [number(value) for value in spread.values]
    wrong = [one for one in each if one is None or not one.is_finite() or one < 0]
    if wrong:
        problem = f"{len(wrong)} of its {len(each)} values are no number of people"
        raise PolicyError(
            Fault(f"population_count.{count}", problem, "give a column of numbers, 0 or more")
        )
    weights = np.array([float(one) for one in each if one is not None])
    people = np.zeros(there.groups)
    np.add.at(people, spread.group, weights[spread.code] * spread.count)
    return people


def _keys(ours: FrequencySet, theirs: FrequencySet) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One integer a group, the same in both tables where all cells read the same."""
    columns = []
    for a in range(len(ours.names)):
        code: dict[str | None, int] = {}
        both = [
            _text_codes(counts.values[a], code)[counts.codes[:, a]] for counts in (ours, theirs)
        ]
        columns.append((np.concatenate(both), max(1, len(code))))
    keys = tuple_keys(columns, ours.groups + theirs.groups)
    return keys[: ours.groups], keys[ours.groups :]


def _text_codes(values: tuple[Value, ...], code: dict[str | None, int]) -> NDArray[np.int64]:
    """A number for each text, the next one for a text not met before; null is no text."""
    texts = (None if is_null(value) else text(value) for value in values)
    return np.array([code.setdefault(one, len(code)) for one in texts], dtype=np.int64)
