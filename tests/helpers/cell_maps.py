"""Random cell-level recodings: rows put together at random, each lot shown by its lowest labels."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.algorithm import Algorithm
from lookalike.search.run import Run
from lookalike.solution.recoding import GONE, CellMap, Space


def random_lots(problem: Problem, rng: random.Random) -> list[list[int]]:
    """The rows, as numbers of their groups, in lots of k to 2k − 1."""
    rows = np.repeat(np.arange(problem.counts.groups), problem.counts.counts).tolist()
    rng.shuffle(rows)
    k = problem.smallest
    lots = []
    while len(rows) >= 2 * k:
        size = rng.randint(k, min(2 * k - 1, len(rows) - k))
        lots.append(rows[:size])
        rows = rows[size:]
    return [*lots, rows] if rows else lots


def lowest_levels(problem: Problem, groups: list[int]) -> list[int]:
    """Per column, the lowest level at which these groups show one label."""
    found = []
    for a, numbers in enumerate(problem.label_numbers):
        leaves = problem.counts.codes[groups, a]
        level = problem.low[a]
        while len(set(numbers[level, leaves].tolist())) > 1:
            level += 1
        found.append(level)
    return found


def from_lots(problem: Problem, lots: list[list[int]], left_out: int = 0) -> CellMap:
    """Each lot at its lowest levels; the first ``left_out`` lots are not released."""
    group, levels = [], []
    for i, lot in enumerate(lots):
        shown = [GONE] * len(problem.names) if i < left_out else lowest_levels(problem, lot)
        group += lot
        levels += [shown] * len(lot)
    return cell_map(
        problem,
        np.array(group, dtype=np.int64),
        np.ones(len(group), dtype=np.int64),
        np.array(levels, dtype=np.int16).reshape(len(group), -1),
    )


@dataclass(frozen=True)
class AtRandom(Algorithm):
    """An algorithm that offers one random recoding, drawn from the seed."""

    left_out: int = 0
    name = "at-random"
    space = Space.CELL_LEVEL

    def why_unsuitable(self, problem: Problem) -> str | None:
        return None

    def search(self, run: Run) -> None:
        lots = random_lots(run.problem, random.Random(run.seed))
        run.offer(from_lots(run.problem, lots, self.left_out))
