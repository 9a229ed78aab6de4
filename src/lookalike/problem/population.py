"""The population of a table: how many of its people look like each equivalence class.

k-map and δ-presence need this. The population is counted once, as distinct tuples. At a node, its
labels are compared with those of the classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.counts.level_table import LevelTable
from lookalike.problem.group_ids import group_ids

NOBODY = -1  # a label that no row of the table shows


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """The people of the population, as distinct tuples in the codes of the table's labels."""

    codes: tuple[NDArray[np.int64], ...]  # per column (values of the population, levels)
    leaf: NDArray[np.int32]  # (tuples, columns)
    counts: NDArray[np.int64]  # (tuples,) people

    @property
    def number(self) -> int:
        """The number of people."""
        return int(self.counts.sum())

    def among(self, classes: Classes, shown: NDArray[np.int32], levels: Sequence[int]) -> Classes:
        """The classes with the people who look like each; ``shown`` are the codes of each class."""
        visible = np.ones(len(self.counts), dtype=np.bool_)
        columns = []
        for a, level in enumerate(levels):
            label = self.codes[a][self.leaf[:, a], level]
            visible &= label != NOBODY
            columns.append(label)
        people = np.stack(columns, axis=1)[visible]
        ids = group_ids(np.concatenate([shown.astype(np.int64), people]))
        of_class, of_people = ids[: len(classes)], ids[len(classes) :]
        held = np.bincount(
            of_people, weights=self.counts[visible], minlength=int(ids.max(initial=-1)) + 1
        )
        looking = held[of_class].astype(np.int64) if len(classes) else np.zeros(0, dtype=np.int64)
        return replace(classes, population=looking, outside=self.number - int(looking.sum()))


def codes_in(table: LevelTable, other: LevelTable) -> NDArray[np.int64]:
    """(other's values, levels) the code in ``table`` of each label of the other; or NOBODY."""
    codes = np.full((other.leaves, table.height + 1), NOBODY, dtype=np.int64)
    for level in range(min(table.height, other.height) + 1):
        code = {label: i for i, label in enumerate(table.labels[level])}
        of_label = np.array(
            [code.get(label, NOBODY) for label in other.labels[level]], dtype=np.int64
        )
        codes[:, level] = of_label[other.codes[:, level]]
    codes[:, table.height] = 0  # everybody is under *
    return codes
