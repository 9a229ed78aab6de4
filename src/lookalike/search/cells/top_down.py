"""Top-down specialization: from the coarsest labels down, one label at a time, while k holds.

A heuristic (Fung, Wang and Yu 2005). Its recoding is global: in each column a cut through the
hierarchy, and a value shows the label of the cut above it wherever it occurs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map, classes_of
from lookalike.search.bounds.cell_layout import CellLayout, Floats, Whole, lay_out
from lookalike.search.cells.cell_algorithm import CellAlgorithm
from lookalike.search.run import Run
from lookalike.solution.recoding import CellMap

TIE = 1e-12  # scores closer than this are equal


@dataclass(frozen=True, slots=True)
class TopDown(CellAlgorithm):
    """Heuristic over cell-level recodings: from the coarsest labels, specialize one at a time.

    Every column starts with its coarsest labels, usually ``*`` alone. To specialize a label is to
    show its children wherever it occurs. Among the labels for which every class then meets all
    requirements, the one with the best score is specialized: what the mean row saves, divided by
    one more than the rows that the smallest class loses. (The paper gains information about a
    class; here the gain is what the policy's metric saves.) Among equals, the first column counts,
    and in it the label that is first in canonical order.

    It suppresses no row, whatever the policy allows: if rows lack lookalikes at the coarsest
    labels, it finds nothing. At a limit it offers what it has so far.

    References
    ----------
    Fung, Wang and Yu 2005. Top-down specialization for information and privacy preservation.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.TopDown())
    <Solution: optimal, cell-level, top-down, cost 0.333333>
    """

    name = "top-down"
    promise = "Top-down specialization meets the policy. It does not promise a low cost."
    any_requirement = True  # every class is judged by all requirements before it is made

    def why_unsuitable(self, problem: Problem) -> str | None:
        wide = next((rule.name for rule in problem.policy.require if rule.table_wide), None)
        return wide and f"it judges single classes, but {wide} is about the whole table; use flash"

    def search(self, run: Run) -> None:
        run.mind_limits()
        cuts = _Cuts(run.problem)
        if cuts.unsafe(cuts.of).any():
            return
        try:
            while (best := cuts.best(run.mind_limits)) is not None:
                cuts.specialize(*best)
        finally:
            run.count(cuts.cell_map())


class _Cuts:
    """A cut through each column's hierarchy: the level at which each leaf is shown."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.layout = layout = lay_out(problem)
        self.leaf = layout.leaf[:, problem.canonical]
        self.rows = layout.rows[problem.canonical]
        self.labels: list[Whole] = _by_column(layout.label, layout)
        self.losses: list[Floats] = _by_column(layout.loss, layout)
        self.below = [_below(labels) for labels in self.labels]  # per column (levels, leaves)
        self.level = [np.full(labels.shape[1], len(labels) - 1) for labels in self.labels]
        coarsest = layout.labels_at(layout.levels - 1)[problem.canonical]
        self.of = group_ids(coarsest)  # (groups,) the class of each
        self.sizes = _class_sizes(self.of, self.rows)

    def unsafe(self, of: Whole) -> NDArray[np.bool_]:
        """Which of these classes break a requirement."""
        every = np.zeros(len(of), dtype=np.bool_)
        group = self.problem.canonical
        return self.problem.rules.unsafe(classes_of(self.problem, of, group, self.rows, every))

    def best(self, check_limits: Callable[[], None]) -> tuple[int, Whole] | None:
        """The column and the leaves under the label to specialize; None if none can be."""
        choice, score = None, -1.0
        for a in range(len(self.leaf)):
            check_limits()
            node = self._shown(a, self.level[a])
            scores = self._scores(a, node)
            best = float(scores.max(initial=-np.inf))
            if best > score + TIE:
                first = np.argmax(scores[node[self.leaf[a]]] >= best - TIE)  # group
                leaves = np.flatnonzero(node == node[self.leaf[a, first]])
                choice, score = (a, leaves), best
        return choice

    def specialize(self, a: int, leaves: Whole) -> None:
        """Show the children of the label that is shown for these leaves."""
        self.level[a][leaves] = self.below[a][self.level[a][leaves], leaves]
        self.of = group_ids(np.stack([self.of, self._shown(a, self.level[a])[self.leaf[a]]], 1))
        self.sizes = _class_sizes(self.of, self.rows)

    def cell_map(self) -> CellMap:
        """Each cell on the cheapest level that shows its label."""
        group = self.problem.canonical
        shown = [level[leaf] for level, leaf in zip(self.level, self.leaf, strict=True)]
        levels = self.layout.cheapest_levels(np.stack(shown, axis=1), group)
        return cell_map(self.problem, group, self.rows, levels.astype(np.int16))

    def _scores(self, a: int, node: Whole) -> Floats:
        """(labels,) the score of specializing each label of a column; −∞ if that is impossible."""
        nodes, every = int(node.max(initial=-1)) + 1, np.arange(len(node))
        after = self.below[a][self.level[a], every]
        saved = self.losses[a][self.level[a], every] - self.losses[a][after, every]
        gain = np.bincount(node, weights=self.problem.counts.marginal(a) * saved)
        # Every class shows one label of this column, and becomes one for each child.
        before = _smallest(node[self.leaf[a]], self.sizes[self.of], nodes)
        parts = group_ids(np.stack([self.of, self._shown(a, after)[self.leaf[a]]], axis=1))
        then = _smallest(node[self.leaf[a]], _class_sizes(parts, self.rows)[parts], nodes)
        lost = self.sizes.min(initial=np.inf) - np.minimum(then, _smallest_of_others(before))
        broken = np.bincount(node[self.leaf[a]], weights=self.unsafe(parts)[parts], minlength=nodes)
        possible = (broken == 0) & (np.bincount(node, weights=self.level[a]) > 0)
        return np.where(possible, gain / max(1, self.problem.rows) / (1 + lost), -np.inf)

    def _shown(self, a: int, level: Whole) -> Whole:
        """(leaves,) a number for what each leaf shows."""
        return group_ids(np.stack([level, self.labels[a][level, np.arange(len(level))]], axis=1))


def _by_column(flat: NDArray[Any], layout: CellLayout) -> list[NDArray[Any]]:
    """Per column (levels, leaves)."""
    columns = zip(np.split(flat, layout.at[1:, 0]), layout.levels, strict=True)
    return [entries.reshape(levels, -1) for entries, levels in columns]


def _below(labels: Whole) -> Whole:
    """(levels, leaves) the next lower level that does not only repeat a label."""
    below = np.zeros(labels.shape, dtype=np.int64)
    for level in range(1, len(labels)):
        repeats = np.ones(int(labels.max(initial=0)) + 1, dtype=np.bool_)
        np.logical_and.at(repeats, labels[level], labels[level - 1] == labels[level])
        below[level] = np.where(repeats[labels[level]], below[level - 1], level - 1)
    return below


def _class_sizes(of: Whole, rows: Whole) -> Floats:
    """(classes,) rows."""
    return np.bincount(of, weights=rows).astype(np.float64)


def _smallest(of: Whole, sizes: Floats, count: int) -> Floats:
    """(count,) the smallest size for each number."""
    smallest = np.full(count, np.inf)
    np.minimum.at(smallest, of, sizes)
    return smallest


def _smallest_of_others(sizes: Floats) -> Floats:
    """For each entry, the smallest size of all other entries."""
    first, second = np.partition(np.append(sizes, [np.inf, np.inf]), 1)[:2]
    return np.asarray(np.where(sizes == first, second, first))
