"""Mondrian where more is asked of a part than a number of rows: sides of a cut are judged first.

The paper's choice of cuts (LeFevre et al. 2006, who note that any rule on classes may stand in for
k): the column in which the part is widest, in halves if it has an order, else all labels apart; if
a side breaks a rule the next level down is tried, then the next column. Plain numpy on the part's
own entries, since a rule is more work than a count.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.counts.sensitive_spread import Spread, tally
from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.run import Run
from lookalike.solution.recoding import GONE

Whole = NDArray[np.int64]


def cut_judged(run: Run) -> None:
    """Cut while every side keeps all rules, and offer what comes of it."""
    problem = run.problem
    table = _Table(problem)
    of = table.at(problem.high)
    whole = [np.flatnonzero(of == c) for c in range(int(of.max(initial=-1)) + 1)]
    parts, left_out = table.safe(whole)
    if not problem.may_suppress(int(problem.counts.counts[left_out].sum())):
        return
    levels = np.zeros((problem.counts.groups, len(problem.names)), dtype=np.int16)
    levels[left_out] = GONE
    while parts:
        run.mind_limits()
        part = parts.pop()
        sides = next((cut for cut in table.cuts(part) if table.keep(cut)), None)
        if sides is None:
            levels[part] = table.shown(part)
        else:
            parts += sides
    counts = problem.counts
    run.offer(cell_map(problem, np.arange(counts.groups), counts.counts, levels))


class _Table:
    """Groups, their labels, and the entries of the columns that rules speak of, by group."""

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
        self.stay(np.arange(problem.counts.groups))
        self.place = [
            _in_order(table.order, table.leaves) if table.ordered else None
            for table in problem.tables
        ]

    def stay(self, groups: Whole) -> None:
        """What parts are held against: the release, or all rows if those left out are starred."""
        if self.problem.policy.conventions.suppressed == "star":
            groups = np.arange(self.problem.counts.groups)
        for name, (values, *_) in self.entries.items():
            _, code, count = self._of(name, [groups])
            self.total[name] = np.bincount(code, weights=count, minlength=len(values)).astype(int)

    def at(self, levels: tuple[int, ...]) -> Whole:
        """The class of each group at a node."""
        shown = [
            numbers[level, self.leaf[:, a]]
            for a, (numbers, level) in enumerate(
                zip(self.problem.label_numbers, levels, strict=True)
            )
        ]
        return group_ids(np.stack(shown, axis=1))

    def safe(self, parts: list[Whole]) -> tuple[list[Whole], Whole]:
        """The parts that keep all rules, looked at again while some go; and groups of others."""
        gone: list[Whole] = []
        while True:
            broken = self.broken(parts)
            gone += [part for part, bad in zip(parts, broken, strict=True) if bad]
            parts = [part for part, bad in zip(parts, broken, strict=True) if not bad]
            if not broken.any() or not parts:
                break
            self.stay(np.concatenate(parts))
        return parts, np.concatenate(gone) if gone else np.zeros(0, dtype=np.int64)

    def keep(self, sides: list[Whole]) -> bool:
        return not self.broken(sides).any()

    def broken(self, sides: list[Whole]) -> NDArray[np.bool_]:
        sizes = np.array([int(self.rows[side].sum()) for side in sides], dtype=np.int64)
        spreads = {}
        for name, (values, *_) in self.entries.items():
            of, code, count = self._of(name, sides)
            of, code, count = tally(of, code, count, len(sides), len(values))
            total = self.total[name]
            spreads[name] = Spread(values, of, code, count, total, int(total.sum()))
        return self.problem.rules.unsafe(Classes(sizes, np.zeros_like(sizes), spreads=spreads))

    def _of(self, name: str, sides: list[Whole]) -> tuple[Whole, Whole, Whole]:
        """The entries of some groups, and the side of each."""
        _, start, code, count = self.entries[name]
        groups = np.concatenate([np.zeros(0, dtype=np.int64), *sides])
        side = np.repeat(np.arange(len(sides)), [len(one) for one in sides])
        many = start[groups + 1] - start[groups]
        at = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
        at += np.repeat(start[groups], many)
        return np.repeat(side, many), code[at], count[at]

    def shown(self, part: Whole) -> list[int]:
        """The lowest level of each column on which all of a part show the same label."""
        found = []
        for a, numbers in enumerate(self.problem.label_numbers):
            low, high = self.problem.low[a], self.problem.high[a]
            leaves = np.unique(self.leaf[part, a])
            labels = numbers[low : high + 1, leaves]
            found.append(low + int(np.argmax((labels == labels[:, :1]).all(axis=1))))
        return found

    def cuts(self, part: Whole) -> Iterator[list[Whole]]:
        """Ways to cut a part: the widest column first, its coarsest level first."""
        problem, shown = self.problem, self.shown(part)
        weights = problem.ground.weights
        wide = []
        for a, level in enumerate(shown):
            table = problem.tables[a]
            under = table.leaves_under[level][table.codes[self.leaf[part[0], a], level]]
            wide.append(weights[a] * (under - 1) / max(1, table.declared - 1))
        for a in sorted(range(len(shown)), key=lambda a: (-wide[a], a)):
            for level in range(shown[a] - 1, problem.low[a] - 1, -1):
                yield self._sides(part, a, level)

    def _sides(self, part: Whole, a: int, level: int) -> list[Whole]:
        """All labels apart; in a column with an order, those before the middle row and the rest."""
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


def _in_order(order: NDArray[np.integer] | None, leaves: int) -> Whole:
    place = np.arange(leaves)
    if order is not None:
        place[order] = np.arange(leaves)
    return place
