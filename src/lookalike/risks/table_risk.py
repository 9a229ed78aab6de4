"""The re-identification risk of a table, over the columns that an outsider could know.

It needs no policy and changes nothing. ``docs/reference/risk.md`` explains each number.
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
from lookalike.risks.column_sets.separation import (
    MostSeparating,
    Separation,
    separation_of,
    single_columns,
)
from lookalike.risks.parameters import RiskOptions
from lookalike.risks.population_estimate import PopulationUniques, estimate
from lookalike.risks.population_match import PopulationMatch, PopulationSummary

BAR_STARTS = (1, 2, 3, 5, 10, 20, 50, 100)  # class sizes where a bar of the histogram begins


@dataclass(frozen=True, slots=True)
class Bar:
    """Classes of ``least`` to ``most`` rows; ``most`` is None for the last bar."""

    least: int
    most: int | None
    classes: int
    rows: int


@dataclass(frozen=True, slots=True)
class ColumnRisk:
    """What one column contributes: how many rows are still unique without it."""

    name: str
    values: int
    unique_without: int


@dataclass(frozen=True, slots=True)
class Risk:
    """The re-identification risk of a table over some columns; ``la.risk`` measures it.

    Attributes
    ----------
    names : tuple of str
        The columns that an outsider is assumed to know.
    rows, classes : int
        Rows of the table, and equivalence classes (groups of lookalikes).
    unique : int
        Rows that look like no other row.
    smallest : int
        Rows in the smallest class: the k that the table already has.
    highest, mean : float
        The risk of the most exposed row, and the mean risk of all rows.
    histogram : tuple of Bar
        Classes and rows by the size of the class.
    columns : tuple of ColumnRisk
        For each column its distinct values, and how many rows are unique without it.
    threshold : float
        The risk above which a row counts as exposed.
    prosecutor, journalist : Attack
        Highest and mean risk, and the share of rows above the threshold. Without a population the
        journalist's risk is an upper limit.
    marketer : float
        The expected share of rows that are re-identified.
    population : PopulationSummary or None
        What a table of the population shows, if it was given.
    uniques : PopulationUniques or None
        Estimates of unique people, if the size of the population was given.
    separation : tuple of Separation
        How well single columns, sets of columns and all columns tell rows apart.
    combinations : Combinations or None
        The smallest sets of columns that make rows unique, if requested.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 31, 52], "sex": ["f", "f", "m"]})
    >>> risk = la.risk(table, ["age", "sex"])
    >>> risk.unique, risk.smallest, risk.highest
    (1, 1, 1.0)
    """

    names: tuple[str, ...]
    rows: int
    classes: int
    unique: int
    smallest: int
    highest: float
    mean: float
    histogram: tuple[Bar, ...]
    columns: tuple[ColumnRisk, ...]
    threshold: float = THRESHOLD
    prosecutor: Attack = NO_ATTACK
    journalist: Attack = NO_ATTACK
    marketer: float = 0.0
    population: PopulationSummary | None = None
    uniques: PopulationUniques | None = None
    separation: tuple[Separation, ...] = ()
    combinations: Combinations | None = None

    def under(self, k: int) -> int:
        """Rows in classes of fewer than k rows.

        Parameters
        ----------
        k : int
            The start of a bar of the histogram: 2, 3, 5, 10, 20, 50 or 100.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If no bar of the histogram starts at ``k``.
        """
        if k not in BAR_STARTS:
            raise ValueError(
                f"k is {k}; the histogram has only {', '.join(map(str, BAR_STARTS[1:]))}"
            )
        return sum(bar.rows for bar in self.histogram if bar.least < k)


def measure_counts(
    counts: FrequencySet,
    options: RiskOptions | None = None,
    matched: PopulationMatch | None = None,
) -> Risk:
    """The risk of a frequency set; ``matched`` has the people of the population by group."""
    options = options or RiskOptions()
    sizes, rows = counts.counts, counts.rows
    columns = tuple(
        ColumnRisk(name, len(counts.values[a]), _unique_without(counts, a))
        for a, name in enumerate(counts.names)
    )
    prosecutor = attack(sizes, sizes, options.threshold)
    journalist = attack(sizes, matched.lookalikes, options.threshold) if matched else prosecutor
    people = options.people(rows)
    sets, combinations = _column_sets(counts, options.size(counts))
    together = (separation_of(counts.names, sizes),) if len(counts.names) > 1 else ()
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
        options.threshold,
        prosecutor,
        journalist,
        journalist.mean,
        matched.population if matched else None,
        estimate(sizes, people) if people is not None else None,
        (
            *single_columns(counts),
            *(chosen for chosen in sets if chosen not in together),
            *together,
        ),
        combinations,
    )


def _column_sets(
    counts: FrequencySet, size: int
) -> tuple[tuple[Separation, ...], Combinations | None]:
    """Walk once over all sets of columns, for separation and for minimal uniques."""
    if not size:
        return (), None
    separating, uniques = MostSeparating(counts), MinimalUniques(counts, size)
    for step in walk(counts, size):
        separating.add(step)
        uniques.add(step)
    return separating.best(), uniques.summary()


def _histogram(sizes: NDArray[np.int64]) -> list[Bar]:
    bars = []
    for least, after in zip(BAR_STARTS, (*BAR_STARTS[1:], None), strict=True):
        inside = sizes[(sizes >= least) & (after is None or sizes < after)]
        bars.append(Bar(least, after - 1 if after else None, len(inside), int(inside.sum())))
    return bars


def _unique_without(counts: FrequencySet, column: int) -> int:
    """Rows that are unique over all the other columns."""
    others = [
        (counts.codes[:, a], len(counts.values[a])) for a in range(len(counts.names)) if a != column
    ]
    keys = tuple_keys(others, counts.groups)
    # After sorting, a group is alone if its neighbors have other keys and it is a single row. The
    # sort is stable because engines mostly return sorted tuples, which leaves long sorted runs.
    order = np.sort(keys * 2 + (counts.counts > 1), kind="stable")
    key = order >> 1
    alone = (order & 1) == 0
    alone[1:] &= key[1:] != key[:-1]
    alone[:-1] &= key[:-1] != key[1:]
    return int(alone.sum())
