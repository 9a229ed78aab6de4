"""What each group of equal rows shows at a lattice node, as numbers, and how many rows share it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.problem import Problem


def codes_at(problem: Problem, node: Sequence[int]) -> NDArray[np.int32]:
    """(groups, columns) the code of each cell at a node."""
    columns = zip(problem.tables, problem.counts.codes.T, node, strict=True)
    return np.stack([table.codes[leaf, level] for table, leaf, level in columns], axis=1)


def labels_at(problem: Problem, leaf: NDArray[np.int32], node: Sequence[int]) -> NDArray[np.int64]:
    """(groups, columns) the label of each cell at a node, as a number."""
    columns = zip(problem.label_numbers, leaf.T, node, strict=True)
    return np.stack([number[level, leaves] for number, leaves, level in columns], axis=1)


def class_sizes(of: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """(groups,) the rows in the class of each group."""
    sizes: NDArray[np.int64] = np.bincount(of, weights=rows).astype(np.int64)[of]
    return sizes
