"""Linkage by kept columns: rows singled out by columns that were not declared quasi-identifiers.

Cohen 2022 (*Attacks on deidentification's defenses*): in the EdX data every student had the same
quasi-identifiers as others, and again together with each course. But outsiders can see the
courses, for example as certificates on a page about a person. All courses together singled out a
third of the students with certificates, and so revealed the courses they had failed.

A released table has quasi-identifiers and kept columns. Here every set of one, two or three kept
columns is added to the released quasi-identifiers, as if an outsider knew them. A row is *singled
out* if no other row has the same cells there. The outsider then learns its other columns.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.tuple_keys import numbered_tuples
from lookalike.errors import Fault, PolicyError
from lookalike.policy.policy import Policy
from lookalike.tables.table import Table

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
MAX_KNOWN = 3  # kept columns that an outsider knows together
MAX_SETS = 20_000  # of kept columns to look at


@dataclass(frozen=True, slots=True)
class KeptColumns:
    """Some kept columns that an outsider might know, together with the quasi-identifiers."""

    columns: tuple[str, ...]
    singled_out: int  # rows that are unique
    below_k: int  # rows with fewer than k − 1 lookalikes, those singled out included
    alone: int  # rows that are unique by these columns without the quasi-identifiers


@dataclass(frozen=True, slots=True)
class KeptColumnLinkage:
    """What kept columns add to the quasi-identifiers, for an outsider who knows them.

    Examples
    --------
    >>> KeptColumnLinkage(rows=3, k=2, quasi_identifiers=("age",), kept=()).sentences
    ('The release keeps no columns besides the quasi-identifiers.',)
    """

    rows: int
    k: int
    quasi_identifiers: tuple[str, ...]
    kept: tuple[str, ...]  # that were looked at
    sets: tuple[KeptColumns, ...] = ()  # the most singled out first; then fewer columns first
    by_number: tuple[int, ...] = ()  # rows that some one, two, three kept columns single out
    together: KeptColumns | None = None  # all kept columns
    learned: int = 0  # rows singled out by some set, with further columns that a class would hide
    not_examined: str = ""
    fewest_columns: tuple[int, ...] = field(default=(), repr=False)  # (tuples,) that single it out

    @property
    def sentences(self) -> tuple[str, ...]:
        """The result in words, without cell values."""
        if self.not_examined:
            return (f"Linkage by kept columns was not examined: {self.not_examined}.",)
        if not self.kept:
            return ("The release keeps no columns besides the quasi-identifiers.",)
        lines = [
            f"An outsider who knows {_columns(number)} besides the quasi-identifiers can single "
            f"out {rows:,} of {self.rows:,} rows."
            for number, rows in enumerate(self.by_number, 1)
        ]
        if self.sets and self.sets[0].singled_out:
            worst = self.sets[0]
            lines.append(
                f"The strongest choice is {', '.join(worst.columns)}: {worst.singled_out:,} rows "
                f"are unique, {worst.below_k:,} have fewer than {self.k - 1} lookalikes."
            )
        if self.together is not None:
            lines.append(
                f"All kept columns together single out {self.together.singled_out:,} rows."
            )
        lines.append(
            f"For {self.learned:,} rows this tells a further column that the other rows with the "
            "same quasi-identifiers would hide."
        )
        return tuple(lines)


def attack_by_kept_columns(
    released: Table,
    policy: Policy,
    *,
    known: Sequence[str] | None = None,
    most: int = MAX_KNOWN,
) -> KeptColumnLinkage:
    """Look at a released table with every choice of ``most`` or fewer kept columns.

    ``known`` are the kept columns that an outsider could know, by default all of them.
    """
    names = [name for name in policy.names if name in released.columns]
    others = [name for name in released.columns if name not in policy.names]
    kept = tuple(others if known is None else known)
    faults = [
        Fault(f"known.{name}", "not a kept column of the release", f"use: {', '.join(others)}")
        for name in kept
        if name not in others
    ]
    if faults:
        raise PolicyError(faults)
    if sum(math.comb(len(kept), size) for size in range(1, most + 1)) > MAX_SETS:
        reason = f"{len(kept)} kept columns have more than {MAX_SETS:,} choices of {most} or fewer"
        rows = released.rows()
        return KeptColumnLinkage(rows, policy.smallest, tuple(names), kept, not_examined=reason)
    counts = released.count_groups([*names, *kept, *(set(others) - set(kept))])
    return _Choices(counts, len(names), kept, policy.smallest).result(most)


class _Choices:
    """The distinct rows of a release, grouped by the quasi-identifiers and some kept columns."""

    def __init__(self, counts: FrequencySet, names: int, kept: tuple[str, ...], k: int) -> None:
        self.counts, self.kept, self.k = counts, kept, k
        self.names = counts.names[:names]
        self.columns = [counts.codes[:, a].astype(np.int64) for a in range(len(counts.names))]
        quasi_identifiers = self.columns[:names] or [np.zeros(counts.groups, dtype=np.int64)]
        self.of_class, _ = numbered_tuples(quasi_identifiers, counts.groups)
        # for each other column (tuples,): has the class several values there?
        self.varies = [self._varies(column) for column in self.columns[names:]]

    def result(self, most: int) -> KeptColumnLinkage:
        fewest = np.zeros(self.counts.groups, dtype=np.int64)
        learning = np.zeros(self.counts.groups, dtype=np.bool_)
        found: list[KeptColumns] = []
        for size in range(1, min(most, len(self.kept)) + 1):
            for choice in itertools.combinations(range(len(self.kept)), size):
                lookalikes = self._lookalikes(choice)
                fewest[(lookalikes == 1) & (fewest == 0)] = size
                learning |= (lookalikes == 1) & self._hidden(choice)
                found.append(self._of(choice, lookalikes))
        every = tuple(range(len(self.kept)))
        rows = self.counts.counts
        found.sort(key=lambda own: (-own.singled_out, len(own.columns)))
        return KeptColumnLinkage(
            rows=self.counts.rows,
            k=self.k,
            quasi_identifiers=self.names,
            kept=self.kept,
            sets=tuple(found),
            by_number=tuple(
                int(rows[(fewest > 0) & (fewest <= size)].sum())
                for size in range(1, min(most, len(every)) + 1)
            ),
            together=self._of(every, self._lookalikes(every)) if every else None,
            learned=int(rows[learning].sum()),
            fewest_columns=tuple(fewest.tolist()),
        )

    def _of(self, choice: tuple[int, ...], lookalikes: Whole) -> KeptColumns:
        rows = self.counts.counts
        alone = self._rows_alike([self._column(at) for at in choice])
        return KeptColumns(
            columns=tuple(self.kept[at] for at in choice),
            singled_out=int(rows[lookalikes == 1].sum()),
            below_k=int(rows[lookalikes < self.k].sum()),
            alone=int(rows[alone == 1].sum()),
        )

    def _column(self, at: int) -> Whole:
        """The codes of a kept column."""
        return self.columns[len(self.names) + at]

    def _lookalikes(self, choice: tuple[int, ...]) -> Whole:
        """(tuples,) rows with the same quasi-identifiers and the same cells in some columns."""
        return self._rows_alike([self.of_class, *(self._column(at) for at in choice)])

    def _rows_alike(self, columns: Sequence[Whole]) -> Whole:
        of, first = numbered_tuples(columns, self.counts.groups)
        rows = np.bincount(of, weights=self.counts.counts, minlength=len(first))
        alike: Whole = rows.astype(np.int64)[of]
        return alike

    def _hidden(self, choice: tuple[int, ...]) -> Flags:
        """(tuples,) is there another column in which the rows of the class differ?"""
        several = np.zeros(self.counts.groups, dtype=np.bool_)
        for at, varies in enumerate(self.varies):
            if at not in choice:
                several |= varies
        return several

    def _varies(self, column: Whole) -> Flags:
        classes = int(self.of_class.max(initial=-1)) + 1
        low = np.full(classes, np.iinfo(np.int64).max)
        high = np.full(classes, -1)
        np.minimum.at(low, self.of_class, column)
        np.maximum.at(high, self.of_class, column)
        several: Flags = (low < high)[self.of_class]
        return several


def _columns(number: int) -> str:
    return "one kept column" if number == 1 else f"{number} kept columns or fewer"
