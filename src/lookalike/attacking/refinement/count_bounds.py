"""How many rows of a class have each tuple of values, and each finer label, at least and at most.

The bounds here look at each class alone. By rule C, each finer label of a class has at most k − 1
of its rows; if that is not certain, at most all but one (else the class would show this label). So
the rows outside some tuples number at most (k − 1) times the finer labels that occur outside, in
the column where these are fewest; the other rows of the class must have these tuples. The bounds
are valid. ``exact_counts.py`` finds the best ones for releases of a few rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.attacking.refinement.closed_classes import ClosedClasses, Parts
from lookalike.attacking.release_view import Flags, Whole


@dataclass(frozen=True, slots=True, eq=False)
class CountBounds:
    """Bounds on the rows of tuples and of finer labels, in each class.

    Tuples that rule E excludes from a class are not listed: it has no row with them.
    """

    of: Whole  # (pairs,) the class, ascending
    leaves: Whole  # (pairs, columns) the tuple
    least: Whole  # (pairs,)
    most: Whole  # (pairs,)
    label_of: Whole  # (labels,) the class, ascending
    label_column: Whole  # (labels,)
    label_part: Whole  # (labels,) numbered as in ``Parts``
    label_least: Whole  # (labels,)
    label_most: Whole  # (labels,)
    exact: bool = False  # is every bound attained by a table that leads to this release?


def bound_counts(classes: ClosedClasses) -> CountBounds:
    """Bounds from each class alone."""
    of, leaves = classes.candidates()
    start = np.searchsorted(of, np.arange(classes.view.classes + 1)).tolist()
    cells: list[dict[int, Parts]] = [{} for _ in range(classes.view.classes)]
    for c, a, parts in classes.labels():
        cells[c][a] = parts
    bounds = [
        _of_class(leaves[start[c] : start[c + 1]], cells[c], int(size), _most_alike(classes, c))
        for c, size in enumerate(classes.sizes.tolist())
    ]
    labels = np.concatenate([np.zeros((0, 4), dtype=np.int64), *(own for _, _, own in bounds)])
    return CountBounds(
        of,
        leaves,
        np.concatenate([least for least, _, _ in bounds]),
        np.concatenate([most for _, most, _ in bounds]),
        np.repeat(np.arange(len(bounds)), [len(own) for _, _, own in bounds]),
        *labels.T,
    )


def _of_class(
    leaves: Whole, cells: dict[int, Parts], size: int, cap: int
) -> tuple[Whole, Whole, Whole]:
    """Of one class: least and most of each tuple; (labels, 4) column, part, least and most."""
    if not cells:  # all its rows have the same tuple, or tuples that no finer label tells apart
        least = size if len(leaves) == 1 else 0
        return np.full(len(leaves), least), np.full(len(leaves), size), np.zeros((0, 4), np.int64)
    part = {a: parts.part[leaves[:, a]] for a, parts in cells.items()}
    others = np.full(len(leaves), np.iinfo(np.int64).max)  # rows with another tuple, at most
    for own in part.values():
        occurring = np.bincount(own)
        without = (occurring > 0).sum() - (occurring[own] == 1)
        others = np.minimum(others, cap * without)
    labels = [
        (a, number, max(0, size - cap * _fewest_parts(part, own != number)), min(cap, size))
        for a, own in part.items()
        for number in np.unique(own).tolist()
    ]
    return (
        np.maximum(0, size - others),
        np.full(len(leaves), min(cap, size)),
        np.array(labels, dtype=np.int64),
    )


def _fewest_parts(part: dict[int, Whole], some: Flags) -> int:
    """How many finer labels occur among some tuples, in the column where these are fewest."""
    return min(len(np.unique(own[some])) for own in part.values())


def _most_alike(classes: ClosedClasses, c: int) -> int:
    """How many rows of a class can share a finer label."""
    later: Flags = classes.earlier[c] & (classes.component == classes.component[c])
    later[c] = True
    refusable = classes.may_be_refused(later, classes.overlaps[c])
    return int(classes.sizes[c]) - 1 if refusable else classes.k - 1
