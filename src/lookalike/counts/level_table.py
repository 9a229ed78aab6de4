"""A hierarchy applied to the values of a column: the code of each value at each level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

TOP = "*"  # the suppressed value, on top of every hierarchy (Sweeney 2002, section 3.1)

Value: TypeAlias = object  # a cell as Python sees it: None, str, int, float, bool, date, Decimal …


@dataclass(frozen=True, slots=True, eq=False)
class LevelTable:
    """One column's hierarchy, tabulated over the values that occur in the table.

    Level 0 is the value itself, the last level is the one value ``*``. ``labels[level][code]`` is
    what a release shows; ``None`` is a null that stays null.
    """

    name: str
    codes: NDArray[np.int32]  # (leaves, levels); row i belongs to the i-th value given
    labels: tuple[tuple[str | None, ...], ...]  # one tuple per level
    leaves_under: tuple[NDArray[np.int64], ...]  # leaves of the declared hierarchy below each code
    order: NDArray[np.int32] | None = None  # leaf indexes in domain order, if there is one

    def __post_init__(self) -> None:
        leaves, levels = self.codes.shape
        if levels < 2:
            raise ValueError(f"{self.name}: a hierarchy has at least two levels, value and {TOP}")
        if len(self.labels) != levels or len(self.leaves_under) != levels:
            raise ValueError(f"{self.name}: labels and leaves_under need one entry per level")
        if self.labels[-1] != (TOP,):
            raise ValueError(f"{self.name}: the top level must be the one value {TOP}")
        if not np.array_equal(self.codes[:, 0], np.arange(leaves)):
            raise ValueError(f"{self.name}: at level 0 every value is its own code")
        for level in range(levels):
            if len(self.labels[level]) != len(self.leaves_under[level]):
                raise ValueError(f"{self.name}: level {level} has labels without leaf counts")
            if leaves and not 0 <= self.codes[:, level].min() <= self.codes[:, level].max() < len(
                self.labels[level]
            ):
                raise ValueError(f"{self.name}: level {level} has codes without a label")
            if level and not self._coarsens(level):
                raise ValueError(f"{self.name}: level {level} does not coarsen level {level - 1}")

    def _coarsens(self, level: int) -> bool:
        """Are values that are equal one level below equal here too?"""
        parent = np.full(len(self.labels[level - 1]), -1, dtype=np.int32)
        parent[self.codes[:, level - 1]] = self.codes[:, level]
        return bool(np.array_equal(parent[self.codes[:, level - 1]], self.codes[:, level]))

    @property
    def leaves(self) -> int:
        """Distinct values of the column."""
        return int(self.codes.shape[0])

    @property
    def height(self) -> int:
        """|DGH|: steps from the value to ``*``, the suppression step included."""
        return int(self.codes.shape[1]) - 1

    @property
    def declared(self) -> int:
        """Leaves of the declared hierarchy, whether or not they occur in the table."""
        return int(self.leaves_under[-1][0])

    @property
    def ordered(self) -> bool:
        """Do the leaves have an order? Cuts need one."""
        return self.order is not None
