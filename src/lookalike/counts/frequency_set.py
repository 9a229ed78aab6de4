"""The frequency set: distinct quasi-identifier tuples and how many rows hold each (*freq*)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import Value


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How often each value of one kept column occurs in each group, as sparse entries."""

    values: tuple[Value, ...]  # distinct values of the column
    group: NDArray[np.int64]  # (entries,) which group
    code: NDArray[np.int32]  # (entries,) which value
    count: NDArray[np.int64]  # (entries,) how many rows

    def dense(self, groups: int) -> NDArray[np.int64]:
        """The same as a matrix (groups, values)."""
        matrix = np.zeros((groups, len(self.values)), dtype=np.int64)
        np.add.at(matrix, (self.group, self.code), self.count)
        return matrix


@dataclass(frozen=True, slots=True, eq=False)
class FrequencySet:
    """Rows reduced to counts: all that a search sees of a table."""

    names: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]  # distinct values of each attribute; None is null
    codes: NDArray[np.int32]  # (groups, attributes), indexes into values
    counts: NDArray[np.int64]  # (groups,)
    sensitive: Mapping[str, Histogram] = field(default_factory=dict)
    marginals: tuple[NDArray[np.int64], ...] | None = None  # if a code stands for several leaves

    def __post_init__(self) -> None:
        if self.codes.shape != (len(self.counts), len(self.names)):
            raise ValueError("codes must have one row per group and one column per attribute")
        if len(self.values) != len(self.names):
            raise ValueError("values must have one entry per attribute")
        if len(self.counts) and int(self.counts.min()) < 1:
            raise ValueError("a group has at least one row")

    @classmethod
    def of_columns(
        cls,
        names: Sequence[str],
        values: Iterable[tuple[Value, ...]],
        marginals: Iterable[NDArray[np.int64]],
    ) -> FrequencySet:
        """The values of each column by itself and how many rows hold each; no groups."""
        no_groups = np.zeros((0, len(names)), dtype=np.int32), np.zeros(0, dtype=np.int64)
        return cls(tuple(names), tuple(values), *no_groups, marginals=tuple(marginals))

    @property
    def groups(self) -> int:
        """Distinct tuples."""
        return len(self.counts)

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return int((self.marginals[0] if self.marginals else self.counts).sum())

    def marginal(self, attribute: int) -> NDArray[np.int64]:
        """(values,) rows that hold each value of one attribute."""
        if self.marginals is not None:
            return self.marginals[attribute]
        return np.bincount(
            self.codes[:, attribute],
            weights=self.counts,
            minlength=len(self.values[attribute]),
        ).astype(np.int64)

    def canonical(self) -> NDArray[np.int64]:
        """The groups sorted by their text: an order that is the same for every engine."""
        columns = [self._ranks(a)[self.codes[:, a]] for a in range(len(self.names))]
        if in_order(columns):
            return np.arange(self.groups)
        return np.lexsort(columns[::-1])

    def fingerprint(self) -> str:
        """A digest of tuples and counts, the same for every engine and order.

        It is private: a small table can be guessed from it.
        """
        digest = hashlib.sha256(repr(self.names).encode())
        orders = []
        for values in self.values:
            texts = list(map(_as_text, values))
            orders.append(sorted(range(len(texts)), key=texts.__getitem__))
            digest.update(repr([texts[i] for i in orders[-1]]).encode())
        if self.marginals is not None:  # the groups are those of one node, not of the table
            for rows, order in zip(self.marginals, orders, strict=True):
                digest.update(rows[order].astype("<i8").tobytes())
            return digest.hexdigest()
        groups = self.canonical()
        for a in range(len(self.names)):
            digest.update(self._ranks(a)[self.codes[groups, a]].astype("<i8").tobytes())
        digest.update(self.counts[groups].astype("<i8").tobytes())
        return digest.hexdigest()

    def _ranks(self, attribute: int) -> NDArray[np.int64]:
        """(values,) the rank of each value of a column, by text."""
        texts = [_as_text(value) for value in self.values[attribute]]
        rank = np.empty(len(texts), dtype=np.int64)
        rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
        return rank


def in_order(columns: Sequence[NDArray[np.integer[Any]]]) -> bool:
    """Are the rows sorted, by the first column first?"""
    rows = len(columns[0]) if columns else 0
    equal = np.ones(max(0, rows - 1), dtype=np.bool_)  # to the row before, so far
    for column in columns:
        step = np.diff(column)
        if bool((step[equal] < 0).any()):
            return False
        equal &= step == 0
    return True


def _as_text(value: Value) -> str:
    return "" if value is None else f"={value}"
