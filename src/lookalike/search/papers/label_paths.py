"""What rows may show, cell by cell: the ground on which finer and less distorted tables are sought.

A label that stands on two levels of a path is one label, at its lowest level.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import Fault, PolicyError
from lookalike.problem.problem import Problem
from lookalike.solution.recoding import CellMap

WORK = 2_000_000  # steps; a second takes one to five hundred thousand
DEEPEST = 200  # moves upon moves, or lots: each is some frames of Python

Shown = tuple[int, ...]  # a label's number in each column
Path = dict[int, int]  # what a cell may show: a label's number -> its lowest level, finest first


class GaveUp(Exception):  # not an error: the way the limit ends a search
    """It is not certain: the work allowed was not enough, or for the reason given."""


class Work:
    """Steps that may still be taken."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < 0:
            raise GaveUp


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Rows that are alike, and the labels they may show."""

    rows: list[int]
    may: list[list[Path]]  # by piece and column

    def own(self, piece: int) -> Shown:
        """The coarsest it may show: in a table that is to be made finer, what it shows now."""
        return tuple(next(reversed(path)) for path in self.may[piece])

    def levels(self, piece: int, shown: Shown) -> list[int]:
        return [path[label] for path, label in zip(self.may[piece], shown, strict=True)]


def within_bounds(problem: Problem, recoding: CellMap) -> bool:
    """Is every cell at a level that the policy allows? Raises if the map is not of this table."""
    held = np.bincount(recoding.group, weights=recoding.rows, minlength=problem.counts.groups)
    rows = problem.counts.counts[problem.canonical]
    if recoding.names != problem.names or not np.array_equal(held, rows):
        fix = "give a recoding that was found for this very table and policy"
        raise PolicyError(Fault("recoding", "it is not one of this problem's table", fix))
    shown = recoding.levels[~recoding.gone]
    return all(
        set(shown[:, a].tolist()) <= set(allowed(problem, a)) for a in range(len(problem.names))
    )


def allowed(problem: Problem, a: int) -> list[int]:
    """A column's levels, lowest first; ``*`` is among them if single cells may be suppressed."""
    levels = list(range(problem.low[a], problem.high[a] + 1))
    model, top = problem.policy.model, problem.tables[a].height
    if model is not None and model.suppress == "cell" and top not in levels:
        levels.append(top)
    return levels


def paths(
    problem: Problem, leaves: NDArray[np.int32], levels: NDArray[np.int16] | None = None
) -> list[list[Path]]:
    """Per row of ``leaves`` and column: the labels up to the one at the level given, or all."""
    known: dict[tuple[int, int, int | None], Path] = {}
    levels_of = [allowed(problem, a) for a in range(len(problem.names))]

    def path(a: int, leaf: int, last: int | None) -> Path:
        if (a, leaf, last) not in known:
            numbers = problem.label_numbers[a][:, leaf].tolist()
            found: Path = {}
            for level in levels_of[a]:
                found.setdefault(numbers[level], level)
                if last is not None and numbers[level] == numbers[last]:
                    break
            known[a, leaf, last] = found
        return known[a, leaf, last]

    return [
        [
            path(a, leaf, None if levels is None else int(levels[row, a]))
            for a, leaf in enumerate(given)
        ]
        for row, given in enumerate(leaves.tolist())
    ]


def shared_tuples(pieces: Pieces, least: int, work: Work) -> Iterator[tuple[Shown, list[int]]]:
    """Every tuple that ``least`` rows or more could show, and the pieces that could."""

    def extend(start: Shown, members: list[int]) -> Iterator[tuple[Shown, list[int]]]:
        work.spend(len(members))
        if len(start) == len(pieces.may[0]):
            yield start, members
            return
        showing: dict[int, list[int]] = defaultdict(list)
        for piece in members:
            for label in pieces.may[piece][len(start)]:
                showing[label].append(piece)
        for label, found in showing.items():
            if sum(pieces.rows[piece] for piece in found) >= least:
                yield from extend((*start, label), found)

    return extend((), list(range(len(pieces.rows)))) if pieces.rows else iter(())
