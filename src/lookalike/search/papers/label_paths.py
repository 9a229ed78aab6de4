"""The labels that each cell may show, for the searches for finer and for more precise tables.

A label that is on two levels of a path counts once, at its lowest level.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import Fault, PolicyError
from lookalike.problem.problem import Problem
from lookalike.search.bounds.cell_layout import levels_of_cells
from lookalike.solution.recoding import CellMap

MAX_STEPS = 2_000_000  # 100,000 to 500,000 are taken in a second
MAX_DEPTH = 200  # of the recursion, which takes several frames of Python each

Shown = tuple[int, ...]  # a label's number in each column
Path = dict[int, int]  # what a cell may show: a label's number -> its lowest level, finest first


class Undecided(Exception):  # not an error: this is how a limit ends a search
    """The steps allowed were not enough, or there is another reason, which is given."""


class StepBudget:
    """The steps that may still be taken."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Take some steps; raises Undecided if none are left."""
        self.left -= steps
        if self.left < 0:
            raise Undecided


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Rows that are alike, and the labels they may show."""

    rows: list[int]  # (pieces,)
    paths: list[list[Path]]  # by piece and column

    def own(self, piece: int) -> Shown:
        """The coarsest labels it may show: in a table to be made finer, what it shows now."""
        return tuple(next(reversed(path)) for path in self.paths[piece])

    def levels(self, piece: int, shown: Shown) -> list[int]:
        """The levels of these labels."""
        return [path[label] for path, label in zip(self.paths[piece], shown, strict=True)]


def within_bounds(problem: Problem, recoding: CellMap) -> bool:
    """Is every cell at a level that the policy allows? Raises if the map is for another table."""
    count = np.bincount(recoding.group, weights=recoding.rows, minlength=problem.counts.groups)
    rows = problem.counts.counts[problem.canonical]
    if recoding.names != problem.names or not np.array_equal(count, rows):
        fix = "give a recoding that was found for this table and policy"
        raise PolicyError(Fault("recoding", "it is for another table", fix))
    shown = recoding.levels[~recoding.gone]
    return all(
        set(shown[:, a].tolist()) <= set(levels)
        for a, levels in enumerate(levels_of_cells(problem))
    )


def label_paths(
    problem: Problem, leaves: NDArray[np.int32], levels: NDArray[np.int16] | None = None
) -> list[list[Path]]:
    """For each row of ``leaves`` and column: the labels up to those at ``levels``, or all."""
    levels_of = levels_of_cells(problem)

    @cache
    def path(a: int, leaf: int, last: int | None) -> Path:
        numbers = problem.label_numbers[a][:, leaf].tolist()
        labels: Path = {}
        for level in levels_of[a]:
            labels.setdefault(numbers[level], level)
            if last is not None and numbers[level] == numbers[last]:
                break
        return labels

    return [
        [
            path(a, leaf, None if levels is None else int(levels[row, a]))
            for a, leaf in enumerate(row_leaves)
        ]
        for row, row_leaves in enumerate(leaves.tolist())
    ]


def shared_tuples(
    pieces: Pieces, least: int, budget: StepBudget
) -> Iterator[tuple[Shown, list[int]]]:
    """Every tuple that ``least`` rows or more could show, and the pieces that could."""

    def extend(start: Shown, members: list[int]) -> Iterator[tuple[Shown, list[int]]]:
        budget.spend(len(members))
        if len(start) == len(pieces.paths[0]):
            yield start, members
            return
        showing: dict[int, list[int]] = defaultdict(list)
        for piece in members:
            for label in pieces.paths[piece][len(start)]:
                showing[label].append(piece)
        for label, some in showing.items():
            if sum(pieces.rows[piece] for piece in some) >= least:
                yield from extend((*start, label), some)

    return extend((), list(range(len(pieces.rows)))) if pieces.rows else iter(())
