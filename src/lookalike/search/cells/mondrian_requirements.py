"""Mondrian for requirements beyond a number of rows: each side of a cut is judged first.

The cuts are the paper's (LeFevre et al. 2006, who note that any requirement on classes can replace
k): the column in which the part is widest, in halves if it is ordered, otherwise all labels
separated. If a side breaks a requirement, the next lower level is tried, then the next column. This
is plain numpy, because judging a requirement takes longer than counting.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.counts.sensitive_spread import Spread, tally
from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import Whole, cell_map
from lookalike.search.node_labels import labels_at
from lookalike.search.run import Run
from lookalike.solution.recoding import GONE


def cut_by_requirements(run: Run) -> None:
    """Cut as long as every side meets all requirements, and offer the result."""
    problem = run.problem
    table = _Table(problem)
    of = group_ids(labels_at(problem, problem.counts.codes, problem.high))
    classes = [np.flatnonzero(of == number) for number in range(int(of.max(initial=-1)) + 1)]
    parts, suppressed = table.safe_parts(classes)
    if not problem.may_suppress(int(problem.counts.counts[suppressed].sum())):
        return
    levels = np.zeros((problem.counts.groups, len(problem.names)), dtype=np.int16)
    levels[suppressed] = GONE
    while parts:
        run.mind_limits()
        part = parts.pop()
        sides = next((cut for cut in table.cuts(part) if not table.broken(cut).any()), None)
        if sides is None:
            levels[part] = table.shown(part)
        else:
            parts += sides
    counts = problem.counts
    run.offer(cell_map(problem, np.arange(counts.groups), counts.counts, levels))


class _Table:
    """Groups, their labels, and the entries of the sensitive columns by group."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.leaf = problem.counts.codes
        self.rows = problem.counts.counts
        self.entries = {}
        for name, histogram in problem.judged.items():
            order = np.argsort(histogram.group, kind="stable")
            group = histogram.group[order]
            start = np.searchsorted(group, np.arange(problem.counts.groups + 1))
            code, count = histogram.code[order].astype(np.int64), histogram.count[order]
            self.entries[name] = (histogram.values, start, code, count.astype(np.int64))
        self.total: dict[str, Whole] = {}
        self.set_totals(np.arange(problem.counts.groups))
        self.place = [
            None if table.order is None else np.argsort(table.order) for table in problem.tables
        ]

    def set_totals(self, groups: Whole) -> None:
        """What parts are compared with: the release, or all rows if suppressed rows are starred."""
        if self.problem.policy.conventions.suppressed == "star":
            groups = np.arange(self.problem.counts.groups)
        for name, (values, *_) in self.entries.items():
            _, code, count = self._entries(name, [groups])
            self.total[name] = np.bincount(code, weights=count, minlength=len(values)).astype(int)

    def safe_parts(self, parts: list[Whole]) -> tuple[list[Whole], Whole]:
        """The parts that meet all requirements, judged again while some are suppressed; and the
        groups of the others.
        """
        suppressed: list[Whole] = []
        while True:
            broken = self.broken(parts)
            suppressed += [part for part, bad in zip(parts, broken, strict=True) if bad]
            parts = [part for part, bad in zip(parts, broken, strict=True) if not bad]
            if not broken.any() or not parts:
                break
            self.set_totals(np.concatenate(parts))
        return parts, np.concatenate([np.zeros(0, dtype=np.int64), *suppressed])

    def broken(self, sides: list[Whole]) -> NDArray[np.bool_]:
        """(sides,) which break a requirement."""
        sizes = np.array([int(self.rows[side].sum()) for side in sides], dtype=np.int64)
        spreads = {}
        for name, (values, *_) in self.entries.items():
            of, code, count = self._entries(name, sides)
            of, code, count = tally(of, code, count, len(sides), len(values))
            total = self.total[name]
            spreads[name] = Spread(values, of, code, count, total, int(total.sum()))
        return self.problem.rules.unsafe(Classes(sizes, np.zeros_like(sizes), spreads=spreads))

    def _entries(self, name: str, sides: list[Whole]) -> tuple[Whole, Whole, Whole]:
        """The entries of some groups, and the side of each."""
        _, start, code, count = self.entries[name]
        groups = np.concatenate([np.zeros(0, dtype=np.int64), *sides])
        of_group = np.repeat(np.arange(len(sides)), [len(side) for side in sides])
        length = start[groups + 1] - start[groups]
        at = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
        at += np.repeat(start[groups], length)
        return np.repeat(of_group, length), code[at], count[at]

    def shown(self, part: Whole) -> list[int]:
        """The lowest level of each column at which all rows of a part show the same label."""
        levels = []
        for a, numbers in enumerate(self.problem.label_numbers):
            low, high = self.problem.low[a], self.problem.high[a]
            leaves = np.unique(self.leaf[part, a])
            labels = numbers[low : high + 1, leaves]
            levels.append(low + int(np.argmax((labels == labels[:, :1]).all(axis=1))))
        return levels

    def cuts(self, part: Whole) -> Iterator[list[Whole]]:
        """Ways to cut a part: the widest column first, its coarsest level first."""
        problem, shown = self.problem, self.shown(part)
        weights = problem.ground.weights
        width = []
        for a, level in enumerate(shown):
            table = problem.tables[a]
            under = table.leaves_under[level][table.codes[self.leaf[part[0], a], level]]
            width.append(weights[a] * (under - 1) / max(1, table.declared - 1))
        for a in sorted(range(len(shown)), key=lambda a: (-width[a], a)):
            for level in range(shown[a] - 1, problem.low[a] - 1, -1):
                yield self._sides(part, a, level)

    def _sides(self, part: Whole, a: int, level: int) -> list[Whole]:
        """All labels separated; in an ordered column, those before the middle row and the rest."""
        labels = self.problem.label_numbers[a][level, self.leaf[part, a]]
        place = self.place[a]
        if place is None:
            of = np.unique(labels, return_inverse=True)[1].reshape(-1)
            return [part[of == side] for side in range(int(of.max()) + 1)]
        first = np.full(int(labels.max()) + 1, len(place))
        np.minimum.at(first, labels, place[self.leaf[part, a]])
        order = np.argsort(first[labels], kind="stable")
        ranked = first[labels][order]
        behind = np.cumsum(self.rows[part][order])
        ends = np.flatnonzero(np.diff(ranked))  # where a label ends
        middle = ends[np.argmin(np.abs(behind[ends] - behind[-1] / 2))]
        return [part[order[: middle + 1]], part[order[middle + 1 :]]]
