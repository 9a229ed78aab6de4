"""Top-down specialization: from the coarsest labels downwards, one label at a time, while k holds.

A heuristic (Fung, Wang and Yu 2005). What it releases is global: in each column a cut through the
hierarchy, and wherever a value occurs it shows the label of the cut that it is under.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map, classes_of
from lookalike.search.algorithm import Algorithm
from lookalike.search.bounds.cell_layout import Layout, lay_out
from lookalike.search.run import Run
from lookalike.solution.recoding import CellMap, Space

TIE = 1e-12  # scores closer than this are equal
Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TopDown(Algorithm):
    """Every column starts with its coarsest labels, most often ``*`` alone.

    To specialize a label is to show, wherever it occurs, its children instead. Of the labels for
    which every class keeps all rules afterwards, the one is specialized whose score is best: what
    the mean row saves, divided by one more than the rows that the smallest class loses. (The paper
    gains information about a class; here the gain is what the policy's metric saves.) Of equals,
    the first column's, and there the label that comes first in canonical order.

    It leaves no row out, whatever the policy allows: where rows have no k lookalikes at the
    coarsest labels, it finds nothing. At a limit it offers how far it got.
    """

    name = "top-down"
    space = Space.CELL_LEVEL
    promise = "Top-down specialization meets the policy. It does not promise a low cost."
    any_requirement = True  # every class is judged by all requirements before it is made

    def why_unsuitable(self, problem: Problem) -> str | None:
        for rule in problem.policy.require:
            if rule.table_wide:
                return f"it judges class by class, and {rule.name} is about the table; use flash"
        return None

    def search(self, run: Run) -> None:
        run.mind_limits()
        cuts = _Cuts(run.problem)
        if cuts.unsafe(cuts.of).any():
            return
        try:
            while (best := cuts.best()) is not None:
                cuts.specialize(*best)
                run.mind_limits()
        finally:
            run.count(cuts.cell_map())


class _Cuts:
    """A cut through each column's hierarchy: of every leaf the turn on which it is shown."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.layout = layout = lay_out(problem)
        self.leaf = layout.leaf[:, problem.canonical]
        self.rows = layout.rows[problem.canonical]
        self.labels: list[Whole] = []  # per column (turns, leaves)
        self.prices: list[Floats] = []
        self.below: list[Whole] = []
        self.turn: list[Whole] = []  # per column (leaves,)
        for a, table in enumerate(problem.tables):
            labels = _by_turn(layout.label, layout, a, table.leaves)
            self.labels.append(labels)
            self.prices.append(_by_turn(layout.price, layout, a, table.leaves))
            self.below.append(_below(labels))
            self.turn.append(np.full(table.leaves, len(labels) - 1))
        shown = [labels[-1, leaf] for labels, leaf in zip(self.labels, self.leaf, strict=True)]
        self.of = group_ids(np.stack(shown, axis=1))  # (groups,) the class of each
        self.sizes = _held(self.of, self.rows)

    @property
    def smallest(self) -> float:
        return float(self.sizes.min(initial=np.inf))

    def unsafe(self, of: Whole) -> NDArray[np.bool_]:
        """Which of these classes break a rule; no row is left out."""
        every = np.zeros(len(of), dtype=np.bool_)
        group = self.problem.canonical
        return self.problem.rules.unsafe(classes_of(self.problem, of, group, self.rows, every))

    def best(self) -> tuple[int, Whole] | None:
        """The column and the leaves under the label to specialize; None if none can be."""
        found, score = None, -1.0
        for a in range(len(self.leaf)):
            node = self._shown(a, self.turn[a])
            scores = self._scores(a, node)
            best = float(scores.max(initial=-np.inf))
            if best > score + TIE:
                first = np.argmax(scores[node[self.leaf[a]]] >= best - TIE)  # group
                leaves = np.flatnonzero(node == node[self.leaf[a, first]])
                found, score = (a, leaves), best
        return found

    def specialize(self, a: int, leaves: Whole) -> None:
        """Show the children of the label that is shown for these leaves."""
        self.turn[a][leaves] = self.below[a][self.turn[a][leaves], leaves]
        self.of = group_ids(np.stack([self.of, self._shown(a, self.turn[a])[self.leaf[a]]], 1))
        self.sizes = _held(self.of, self.rows)

    def cell_map(self) -> CellMap:
        """Each cell on the cheapest level that shows its label."""
        problem, layout = self.problem, self.layout
        levels = np.zeros(self.leaf.T.shape, dtype=np.int16)
        for a, leaf in enumerate(self.leaf):
            lowest = layout.lowest[layout.at[a, self.turn[a][leaf]] + leaf]
            levels[:, a] = layout.level[a, lowest]
        return cell_map(problem, problem.canonical, self.rows, levels)

    def _scores(self, a: int, node: Whole) -> Floats:
        """By the label to specialize: what it gains for what it loses; −∞ if it cannot be done."""
        nodes, every = int(node.max(initial=-1)) + 1, np.arange(len(node))
        after = self.below[a][self.turn[a], every]
        saved = self.prices[a][self.turn[a], every] - self.prices[a][after, every]
        gain = np.bincount(node, weights=self.problem.counts.marginal(a) * saved)
        # Every class shows one label of this column, and becomes one for each child.
        kept = _least(node[self.leaf[a]], self.sizes[self.of], nodes)
        parts = group_ids(np.stack([self.of, self._shown(a, after)[self.leaf[a]]], axis=1))
        then = _least(node[self.leaf[a]], _held(parts, self.rows)[parts], nodes)
        lost = self.smallest - np.minimum(then, _least_of_others(kept))
        broken = np.bincount(node[self.leaf[a]], weights=self.unsafe(parts)[parts], minlength=nodes)
        may = (broken == 0) & (np.bincount(node, weights=self.turn[a]) > 0)
        return np.where(may, gain / max(1, self.problem.rows) / (1 + lost), -np.inf)

    def _shown(self, a: int, turn: Whole) -> Whole:
        """(leaves,) a number for what each leaf shows."""
        return group_ids(np.stack([turn, self.labels[a][turn, np.arange(len(turn))]], axis=1))


def _by_turn(flat: NDArray[Any], layout: Layout, a: int, leaves: int) -> NDArray[Any]:
    """(turns, leaves) of one column."""
    turns = layout.at[a, : layout.many[a]]
    return np.stack([flat[turn : turn + leaves] for turn in turns])


def _below(labels: Whole) -> Whole:
    """(turns, leaves) the next turn down that does not only repeat a label."""
    below = np.zeros(labels.shape, dtype=np.int64)
    for t in range(1, len(labels)):
        repeats = np.ones(int(labels.max(initial=0)) + 1, dtype=np.bool_)
        np.logical_and.at(repeats, labels[t], labels[t - 1] == labels[t])
        below[t] = np.where(repeats[labels[t]], below[t - 1], t - 1)
    return below


def _held(of: Whole, rows: Whole) -> Floats:
    """The rows of each."""
    return np.bincount(of, weights=rows).astype(np.float64)


def _least(of: Whole, sizes: Floats, many: int) -> Floats:
    """(many,) the least size of each."""
    found = np.full(many, np.inf)
    np.minimum.at(found, of, sizes)
    return found


def _least_of_others(sizes: Floats) -> Floats:
    """(many,) the least size of all the others."""
    first, second = np.partition(np.append(sizes, [np.inf, np.inf]), 1)[:2]
    found: Floats = np.where(sizes == first, second, first)
    return found
