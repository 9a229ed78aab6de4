"""The people outside the table: how many of them look like each class.

k-map and δ-presence ask that. The population is counted once, as distinct tuples; at a node its
labels are held against those of the classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.counts.level_table import LevelTable
from lookalike.problem.group_ids import alike_over

NOBODY = -1  # a label that no row of the table shows


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Distinct tuples of the population, in the codes of the table's labels."""

    codes: tuple[NDArray[np.int64], ...]  # per column (values of the population, levels)
    leaf: NDArray[np.int32]  # (tuples, columns)
    counts: NDArray[np.int64]  # (tuples,) people

    @property
    def number(self) -> int:
        return int(self.counts.sum())

    def among(self, classes: Classes, shown: NDArray[np.int32], levels: Sequence[int]) -> Classes:
        """The classes with the people who look like each; ``shown`` are the codes of each class."""
        there = np.ones(len(self.counts), dtype=np.bool_)
        columns = []
        for a, level in enumerate(levels):
            label = self.codes[a][self.leaf[:, a], level]
            there &= label != NOBODY
            columns.append(label)
        people = np.stack(columns, axis=1)[there]
        alike = alike_over(np.concatenate([shown.astype(np.int64), people]))
        mine, theirs = alike[: len(classes)], alike[len(classes) :]
        held = np.bincount(
            theirs, weights=self.counts[there], minlength=int(alike.max(initial=-1)) + 1
        )
        looking = held[mine].astype(np.int64) if len(classes) else np.zeros(0, dtype=np.int64)
        return replace(classes, population=looking, outside=self.number - int(looking.sum()))


def in_codes_of(table: LevelTable, other: LevelTable) -> NDArray[np.int64]:
    """(other's values, levels) the code in ``table`` of each label of the other; or NOBODY."""
    found = np.full((other.leaves, table.height + 1), NOBODY, dtype=np.int64)
    for level in range(min(table.height, other.height) + 1):
        code = {label: i for i, label in enumerate(table.labels[level])}
        of_label = np.array(
            [code.get(label, NOBODY) for label in other.labels[level]], dtype=np.int64
        )
        found[:, level] = of_label[other.codes[:, level]]
    found[:, table.height] = 0  # everybody is under *
    return found
