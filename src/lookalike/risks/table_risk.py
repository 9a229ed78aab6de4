"""How exposed is a table: who stands out over the columns that an outsider could know.

Needs no policy and changes nothing. What each number means is on ``docs/reference/risk.md``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.tuple_keys import tuple_keys
from lookalike.risks.attacker_models import NO_ATTACK, THRESHOLD, Attack, attack
from lookalike.risks.column_sets.column_subsets import walk
from lookalike.risks.column_sets.minimal_uniques import Combinations, MinimalUniques
from lookalike.risks.column_sets.separation import MostSeparating, Separation, single_columns, whole
from lookalike.risks.parameters import Asked
from lookalike.risks.population_estimate import Uniques, estimate
from lookalike.risks.population_match import Matched, Population

SIZES = (1, 2, 3, 5, 10, 20, 50, 100)  # class sizes where a bar of the histogram begins


@dataclass(frozen=True, slots=True)
class Bar:
    """Rows in classes of ``least`` to ``most`` rows; ``most`` is None for the last bar."""

    least: int
    most: int | None
    classes: int
    rows: int


@dataclass(frozen=True, slots=True)
class ColumnRisk:
    """What one column adds: how many rows stop being unique when it is left out."""

    name: str
    values: int
    unique_without: int


@dataclass(frozen=True, slots=True)
class Risk:
    """Re-identification risk over some columns."""

    names: tuple[str, ...]
    rows: int
    classes: int
    unique: int  # rows like no other
    smallest: int  # rows in the smallest class: the k that the table already has
    highest: float  # risk of the most exposed row
    mean: float  # expected share of rows re-identified (the marketer model)
    histogram: tuple[Bar, ...]
    columns: tuple[ColumnRisk, ...]
    threshold: float = THRESHOLD
    prosecutor: Attack = NO_ATTACK
    journalist: Attack = NO_ATTACK  # without a population the most that it can be
    marketer: float = 0.0  # expected share of rows re-identified; as the journalist's
    population: Population | None = None  # if a table of it was given
    uniques: Uniques | None = None  # if its size was given
    separation: tuple[Separation, ...] = ()  # single columns, then sets, then all columns
    combinations: Combinations | None = None  # if asked for

    def under(self, k: int) -> int:
        """Rows in classes of fewer than k rows; k must be where a bar begins."""
        if k not in SIZES:
            raise ValueError(f"k is {k}; the histogram knows {', '.join(map(str, SIZES[1:]))}")
        return sum(bar.rows for bar in self.histogram if bar.least < k)


def measure_counts(
    counts: FrequencySet, asked: Asked | None = None, matched: Matched | None = None
) -> Risk:
    """Risk from a frequency set, and from what the population has of each of its groups."""
    asked = asked or Asked()
    sizes, rows = counts.counts, counts.rows
    columns = tuple(
        ColumnRisk(name, len(counts.values[a]), _unique_without(counts, a))
        for a, name in enumerate(counts.names)
    )
    prosecutor = attack(sizes, sizes, asked.threshold)
    journalist = attack(sizes, matched.lookalikes, asked.threshold) if matched else prosecutor
    people = asked.people(rows)
    sets, found = _sets(counts, asked.size(counts))
    together = (whole(counts),) if len(counts.names) > 1 else ()
    return Risk(
        counts.names,
        rows,
        counts.groups,
        int(sizes[sizes == 1].sum()),
        int(sizes.min(initial=rows)),
        1 / int(sizes.min()) if rows else 0.0,
        counts.groups / rows if rows else 0.0,
        tuple(_histogram(sizes)),
        tuple(sorted(columns, key=lambda c: (c.unique_without, c.name))),
        asked.threshold,
        prosecutor,
        journalist,
        journalist.mean,
        matched.population if matched else None,
        estimate(sizes, people) if people is not None else None,
        (*single_columns(counts), *(one for one in sets if one not in together), *together),
        found,
    )


def _sets(counts: FrequencySet, size: int) -> tuple[tuple[Separation, ...], Combinations | None]:
    """One walk over all sets of columns, for two purposes."""
    if not size:
        return (), None
    separating, uniques = MostSeparating(counts), MinimalUniques(counts, size)
    for step in walk(counts, size):
        separating.add(step)
        uniques.add(step)
    return separating.found(), uniques.summary()


def _histogram(sizes: NDArray[np.int64]) -> list[Bar]:
    bars = []
    for i, least in enumerate(SIZES):
        most = SIZES[i + 1] - 1 if i + 1 < len(SIZES) else None
        inside = sizes[(sizes >= least) & ((sizes <= most) if most else True)]
        bars.append(Bar(least, most, len(inside), int(inside.sum())))
    return bars


def _unique_without(counts: FrequencySet, column: int) -> int:
    """Rows that are unique over all the other columns."""
    others = [
        (counts.codes[:, a], len(counts.values[a])) for a in range(len(counts.names)) if a != column
    ]
    keys = tuple_keys(others, counts.groups)
    # one sort tells: a group is alone if its neighbours have other keys, and it is a single row;
    # a stable one, as engines mostly give tuples in order, of which long runs are left
    order = np.sort(keys * 2 + (counts.counts > 1), kind="stable")
    key = order >> 1
    alone = (order & 1) == 0
    alone[1:] &= key[1:] != key[:-1]
    alone[:-1] &= key[:-1] != key[1:]
    return int(alone.sum())
