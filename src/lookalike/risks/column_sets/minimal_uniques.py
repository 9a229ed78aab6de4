"""Minimal sample uniques: the smallest sets of columns over which a row is unique.

A minimal sample unique (MSU) is a row and a set of columns such that no other row has its values
over these columns, but over any fewer of them some other row does (SUDA2: Manning, Haglin and
Keane, A recursive search algorithm for statistical disclosure assessment, Data Mining and Knowledge
Discovery 16, 2008). The fewer columns, the less an outsider has to know. Here they are found
exactly, by walking over all sets up to a size. A row that is unique over one column less is not
minimal; uniqueness is inherited by larger sets, so smaller subsets need not be checked.

The score of a row is Elliot's: an MSU of m columns counts Π_{i=m}^{M−1} (n − i), where n is the
number of columns that an outsider may know and M the largest size of a set. That is the number of
ways to add columns one by one up to M; an MSU of M columns counts 1. (Others let the product run to
M, which multiplies every score by n − M, and makes all of them 0 if M is n.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations as subsets_of
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.risks.column_sets.column_subsets import MAX_COLUMNS, Step, walk
from lookalike.risks.parameters import RiskOptions, named_columns


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """A set of columns that makes rows unique, where every column is needed; and how many rows."""

    names: tuple[str, ...]
    uniques: int


@dataclass(frozen=True, slots=True)
class Contribution:
    """The share of all scores from sets with this column. The shares of columns overlap."""

    name: str
    share: float


@dataclass(frozen=True, slots=True)
class Combinations:
    """A summary of the minimal sample uniques of a table."""

    size: int  # columns in the largest sets examined
    uniques: int  # minimal sample uniques
    rows: int  # rows that have one
    by_size: tuple[int, ...]  # rows that have one of 1, 2, … columns
    sets: tuple[ColumnSet, ...]  # most uniques first
    columns: tuple[Contribution, ...]  # largest share first
    highest: float  # score
    mean: float  # score, over all rows of the table


def score_of(columns: int, size: int, unique_columns: int) -> float:
    """The score of one MSU of ``unique_columns`` columns."""
    return float(prod(columns - i for i in range(unique_columns, size)))


class MinimalUniques:
    """Collects minimal sample uniques from the steps of a walk, which must be of the same size."""

    def __init__(self, counts: FrequencySet, size: int = MAX_COLUMNS) -> None:
        self.counts = counts
        self.size = min(size, len(counts.names))
        self.scores = np.zeros(counts.groups)  # of each group's rows
        self.by_set: dict[tuple[int, ...], int] = {}
        self._has = np.zeros((self.size, counts.groups), dtype=np.bool_)
        self._unique: dict[tuple[int, ...], NDArray[np.uint8]] = {}  # bits

    def add(self, step: Step) -> None:
        """Take the set of a step into account."""
        minimal = self._minimal(step)
        if len(minimal):
            m = len(step.columns)
            self.by_set[step.columns] = len(minimal)
            self.scores[minimal] += score_of(len(self.counts.names), self.size, m)
            self._has[m - 1, minimal] = True
        if step.unique is not None:
            self._unique[step.columns] = np.packbits(step.unique)

    def _minimal(self, step: Step) -> NDArray[np.int32]:
        """The groups that are unique over this set, but not over one column less."""
        minimal = step.alone
        if len(step.columns) > 1:
            for fewer in subsets_of(step.columns, len(step.columns) - 1):
                bits = self._unique[fewer]
                minimal = minimal[bits[minimal >> 3] & (np.uint8(128) >> (minimal & 7)) == 0]
        return minimal

    def summary(self) -> Combinations:
        """All of them in numbers."""
        names, rows = self.counts.names, self.counts.rows
        total = float(self.scores.sum())  # a group with a score is one row
        of_column = [0.0] * len(names)
        for columns, uniques in self.by_set.items():
            for a in columns:
                of_column[a] += uniques * score_of(len(names), self.size, len(columns))
        shares = [
            Contribution(name, of_column[a] / total if total else 0.0)
            for a, name in enumerate(names)
        ]
        sets = [
            ColumnSet(tuple(names[a] for a in columns), uniques)
            for columns, uniques in self.by_set.items()
        ]
        return Combinations(
            self.size,
            sum(self.by_set.values()),
            int(self._has.any(axis=0).sum()),
            tuple(int(has.sum()) for has in self._has),
            tuple(sorted(sets, key=lambda part: (-part.uniques, len(part.names), part.names))),
            tuple(sorted(shares, key=lambda column: (-column.share, column.name))),
            float(self.scores.max(initial=0.0)),
            total / rows if rows else 0.0,
        )


def minimal_uniques(counts: FrequencySet, size: int = MAX_COLUMNS) -> MinimalUniques:
    """The minimal sample uniques over sets of up to ``size`` columns."""
    uniques = MinimalUniques(counts, size)
    for step in walk(counts, size):
        uniques.add(step)
    return uniques


def score_rows(table: Any, columns: Sequence[str], size: int = MAX_COLUMNS) -> NDArray[np.float64]:
    """Score every row of a table by how easily it is singled out (SUDA score).

    The more sets of few columns make a row unique, the higher is its score; 0 if there is no such
    set. The scores are as private as the table.

    Parameters
    ----------
    table
        The table, in any of the forms that lookalike reads.
    columns : sequence of str
        The columns that an outsider could know.
    size : int
        The number of columns in the largest sets examined.

    Returns
    -------
    array of float
        One score for each row, in the order of the rows.

    Raises
    ------
    PolicyError
        If ``columns`` is not a list of columns, or ``size`` not a whole number.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 31, 52], "sex": ["f", "m", "m"]})
    >>> la.score_rows(table, ["age", "sex"], size=2).tolist()
    [1.0, 1.0, 1.0]
    """
    from lookalike.tables.open import open_table

    names = named_columns(columns)
    options = RiskOptions(combinations=size)
    texts = open_table(table).text_rows(names)
    whole = [column.combine_chunks() for column in texts.columns]
    parts = [column.dictionary_encode(null_encoding="encode") for column in whole]
    values = tuple(tuple(part.dictionary.to_pylist()) for part in parts)
    codes = np.column_stack([part.indices.to_numpy() for part in parts])
    counts = FrequencySet(names, values, codes, np.ones(len(codes), dtype=np.int64))
    return minimal_uniques(counts, options.size(counts)).scores
