"""Minimal sample uniques: the smallest sets of columns over which a row is one of a kind.

A minimal sample unique (MSU) is a row and a set of columns such that no other row has its values
over these columns, while over any fewer of them some other row does (SUDA2: Manning, Haglin and
Keane, A recursive search algorithm for statistical disclosure assessment, Data Mining and Knowledge
Discovery 16, 2008). The fewer columns, the less an outsider has to know. Found here by walking all
sets up to a size, exactly; a row that is unique over one column less is not minimal, and as
uniqueness is inherited by larger sets, no smaller subset need be looked at.

The score of a row is Elliot's: an MSU of m columns, of n that an outsider may know and sets of up
to M looked at, counts Π_{i=m}^{M−1} (n − i), the number of ways to add columns one by one up to M:
one of M columns counts 1. (Others let the product run to M, which multiplies every score by n − M,
and makes all of them 0 when M is n.)
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
from lookalike.risks.column_sets.column_subsets import LARGEST, Step, walk
from lookalike.risks.parameters import Asked, named_columns


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """Columns that single rows out, none of them to spare, and how many rows."""

    names: tuple[str, ...]
    uniques: int


@dataclass(frozen=True, slots=True)
class Contribution:
    """The share of all scores that comes from sets with this column. Shares overlap."""

    name: str
    share: float


@dataclass(frozen=True, slots=True)
class Combinations:
    """What the minimal sample uniques of a table say in all."""

    size: int  # columns in the largest sets looked at
    uniques: int  # minimal sample uniques
    rows: int  # rows that have one
    by_size: tuple[int, ...]  # rows that have one of 1, 2, … columns
    sets: tuple[ColumnSet, ...]  # most uniques first
    columns: tuple[Contribution, ...]  # greatest share first
    highest: float  # score
    mean: float  # score, over all rows of the table


def score_of(columns: int, size: int, found: int) -> float:
    """What one MSU of ``found`` columns counts."""
    return float(prod(columns - i for i in range(found, size)))


class MinimalUniques:
    """Gathers minimal sample uniques from the steps of a walk, which must be of the same size."""

    def __init__(self, counts: FrequencySet, size: int = LARGEST) -> None:
        self.counts = counts
        self.size = min(size, len(counts.names))
        self.scores = np.zeros(counts.groups)  # of each group's rows
        self.by_set: dict[tuple[int, ...], int] = {}
        self._has = np.zeros((self.size, counts.groups), dtype=np.bool_)
        self._unique: dict[tuple[int, ...], NDArray[np.uint8]] = {}  # bits

    def add(self, step: Step) -> None:
        minimal = self._minimal(step)
        if len(minimal):
            m = len(step.columns)
            self.by_set[step.columns] = len(minimal)
            self.scores[minimal] += score_of(len(self.counts.names), self.size, m)
            self._has[m - 1, minimal] = True
        if step.unique is not None:
            self._unique[step.columns] = np.packbits(step.unique)

    def _minimal(self, step: Step) -> NDArray[np.int32]:
        """Of those alone, the groups that are not alone over one column less."""
        found = step.alone
        if len(step.columns) > 1:
            for fewer in subsets_of(step.columns, len(step.columns) - 1):
                bits = self._unique[fewer]
                found = found[bits[found >> 3] & (np.uint8(128) >> (found & 7)) == 0]
        return found

    def summary(self) -> Combinations:
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
            tuple(sorted(sets, key=lambda one: (-one.uniques, len(one.names), one.names))),
            tuple(sorted(shares, key=lambda one: (-one.share, one.name))),
            float(self.scores.max(initial=0.0)),
            total / rows if rows else 0.0,
        )


def minimal_uniques(counts: FrequencySet, size: int = LARGEST) -> MinimalUniques:
    """All of them, over sets of up to ``size`` columns."""
    found = MinimalUniques(counts, size)
    for step in walk(counts, size):
        found.add(step)
    return found


def score_rows(table: Any, columns: Sequence[str], size: int = LARGEST) -> NDArray[np.float64]:
    """The score of every row of a table, in the order it is stored. Private, as the table is."""
    from lookalike.tables.open import open_table

    names = named_columns(columns)
    asked = Asked(combinations=size)
    texts = open_table(table).text_rows(names)
    codes = np.zeros((texts.num_rows, len(names)), dtype=np.int32)
    values = []
    for a in range(len(names)):
        encoded = texts.column(a).combine_chunks().dictionary_encode()
        known = encoded.dictionary.to_pylist()
        codes[:, a] = encoded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
        values.append((*known, None))
    ones = np.ones(len(codes), dtype=np.int64)
    counts = FrequencySet(names, tuple(values), codes, ones)
    return minimal_uniques(counts, asked.size(counts)).scores
