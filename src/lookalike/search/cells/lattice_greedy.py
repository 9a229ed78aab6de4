"""Lattice greedy: visit lattice nodes from cheap to expensive, and release classes of k rows.

A heuristic for cell-level recoding. The nodes of the lattice are visited in the order of their
cost. At each node the rows that are still without a class are grouped by what they would show, and
every group of k rows or more becomes a class.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.column_metric import MarginalCosting
from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.algorithm_options import number
from lookalike.search.bounds.cell_layout import CellLayout, Whole, lay_out
from lookalike.search.bounds.row_sets import Partition
from lookalike.search.cells.cell_algorithm import CellAlgorithm
from lookalike.search.cells.class_merging import merge_until_safe, why_not_judged
from lookalike.search.cells.withheld_rows import secret_generator, withhold_rows
from lookalike.search.option_checks import check_number
from lookalike.search.run import Run
from lookalike.solution.recoding import GONE, CellMap

MAX_NODES = 1 << 18  # to visit
BATCH_GROUPS = 1 << 22  # grouped between two checks of the limits, all nodes together
WORD = 1 << 62  # values of a packed key
ROUNDS = 3  # with new weights of columns, if the metric is a geometric mean


@dataclass(frozen=True, slots=True)
class LatticeGreedy(CellAlgorithm):
    """Heuristic over cell-level recodings: visit lattice nodes from cheap to expensive.

    The default for large tables: it is fast, and close to the best that is known. At each node,
    rows without a class become classes where k or more are alike. A class is closed only if the
    rows left over are none or at least k, so that the rest can be released too. Each class shows
    the lowest labels that its rows share. If the losses of columns multiply (geometric mean),
    columns are weighted again by what the last round lost in them. If more is required than a
    number of rows, classes that break a requirement are merged with others (``class_merging.py``).

    Parameters
    ----------
    withhold : float
        The share of rows held back until secret nodes, from 0 to 1, for example 0.05. With a share
        above 0, the order in which classes are closed proves nothing about a row
        (``withheld_rows.py``). A class then shows the labels of the node at which it was closed,
        even if its rows share lower ones. The draws are secret: two runs give different releases.

    Raises
    ------
    PolicyError
        If ``withhold`` is not a number from 0 to 1.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.LatticeGreedy())
    <Solution: optimal, cell-level, lattice-greedy, cost 0.333333>
    """

    withhold: float = 0.0
    name = "lattice-greedy"
    options = (number("withhold"),)
    any_requirement = True  # classes that break one are merged with others

    def __post_init__(self) -> None:
        check_number("LatticeGreedy(withhold=...)", self.withhold, 0, 1)

    def guarantee(self, problem: Problem) -> str:
        if not self.withhold:
            return self.promise
        return (
            f"A share of {self.withhold:g} of the rows, drawn at random and in secret, was held "
            "back until secret nodes: which rows are in which class proves nothing beyond the "
            "labels shown."
        )

    def why_unsuitable(self, problem: Problem) -> str | None:
        if self.withhold and not problem.policy.by_size:
            return "with rows held back it forms classes by size alone: use withhold=0, or mondrian"
        if why := why_not_judged(problem):
            return why
        nodes = lay_out(problem).nodes
        if nodes > MAX_NODES:
            return (
                f"the lattice has {nodes:,} nodes, more than the {MAX_NODES:,} it can visit; use "
                "mondrian, or raise the lowest level of some columns"
            )
        return None

    def search(self, run: Run) -> None:
        problem = run.problem
        costing = problem.costing
        if self.withhold:
            self._search_with_rows_withheld(run)  # once: a choice between draws could tell of them
            return
        multiply = isinstance(costing, MarginalCosting) and costing.geometric
        weights = problem.ground.weights
        for _ in range(ROUNDS if multiply else 1):
            layout = lay_out(problem, weights)
            partition = merge_until_safe(layout, greedy(layout, run), run)
            if not problem.may_suppress(int(partition.rows[partition.of < 0].sum())):
                return
            levels = lowest_levels(layout, partition)
            run.offer(cell_map(problem, partition.group, partition.rows, levels))
            if isinstance(costing, MarginalCosting) and costing.geometric:
                lost = _mean_losses(problem, costing, partition, levels)
                weights = problem.ground.weights / (1 + lost)

    def _search_with_rows_withheld(self, run: Run) -> None:
        problem = run.problem
        layout = lay_out(problem)
        pieces = withhold_rows(layout.rows, self.withhold, layout.nodes, secret_generator())
        nodes = _nodes_by_cost(layout)
        of, closed_at = close(pieces.lay_out(layout), run, nodes, pieces.place)
        if not problem.may_suppress(int(pieces.rows[of < 0].sum())):
            return
        levels = np.full((len(of), len(layout.at)), GONE, dtype=np.int16)
        kept = of >= 0
        levels[kept] = layout.cheapest_levels(nodes[closed_at[of[kept]]], pieces.group[kept])
        run.offer(cell_map(problem, pieces.group, pieces.rows, levels))


def greedy(layout: CellLayout, run: Run) -> Partition:
    """Visit every node, the cheapest first, until all rows that can be released are in a class."""
    groups = len(layout.rows)
    of, _ = close(layout, run, _nodes_by_cost(layout), np.zeros(groups, dtype=np.int64))
    return Partition(np.arange(groups), layout.rows, of)


def close(layout: CellLayout, run: Run, nodes: Whole, place: Whole) -> tuple[Whole, Whole]:
    """(groups,) the class of each, −1 if it has none; (classes,) the place of the node of each.

    A group takes part from the node at its ``place`` on.
    """
    from lookalike.search.cells.lattice_greedy_kernels import Greedy, close_classes  # late: numba

    component = group_ids(layout.labels_at(layout.levels - 1))  # rows of two can never be alike
    rows_left = np.bincount(component, weights=layout.rows).astype(np.int64)
    of = np.full(len(layout.rows), -1, dtype=np.int64)
    able = (rows_left[component] >= layout.k) & (layout.rows > 0)
    joins = np.unique(place[able])  # where groups begin to take part
    state = Greedy(*_words(layout), component, rows_left, of, np.zeros(len(of), dtype=np.int64))
    waiting = np.zeros(0, dtype=np.int64)
    classes = 0
    batch = max(1, BATCH_GROUPS // max(1, len(of)))
    for start, end in _batches(joins, len(nodes), batch):
        run.mind_limits()
        waiting = np.concatenate([waiting, np.flatnonzero(able & (place == start))])
        if not len(waiting):
            continue
        classes, count = close_classes(layout, state, nodes[start:end], start, waiting, classes)
        waiting = waiting[:count]
        if not count and start >= joins[-1]:
            break
    return of, state.closed_at[:classes]


def _batches(joins: Whole, nodes: int, batch: int) -> Iterator[tuple[int, int]]:
    """First and last place of the nodes to visit at a time; a new batch where groups join."""
    starts = np.union1d(joins, np.arange(0, nodes, batch)).tolist()
    return itertools.pairwise([*starts, nodes])


def released(problem: Problem, layout: CellLayout, partition: Partition) -> CellMap:
    """The partition as a cell map, with the lowest labels that the rows of each class share."""
    levels = lowest_levels(layout, partition)
    return cell_map(problem, partition.group, partition.rows, levels)


def lowest_levels(layout: CellLayout, partition: Partition) -> NDArray[np.int16]:
    """(pieces, columns) the cheapest level that shows the lowest label shared by the class."""
    from lookalike.search.cells.lattice_greedy_kernels import shared_levels  # late: loads numba

    lowest = shared_levels(layout, partition, int(partition.of.max(initial=-1)) + 1)
    kept = partition.of >= 0
    levels = np.full((len(partition.of), len(layout.at)), GONE, dtype=np.int16)
    levels[kept] = layout.cheapest_levels(lowest[partition.of[kept]], partition.group[kept])
    return levels


def _mean_losses(
    problem: Problem, costing: MarginalCosting, partition: Partition, levels: NDArray[np.int16]
) -> NDArray[np.float64]:
    """(columns,) what released rows lose, as a mean over all rows."""
    kept = partition.of >= 0
    leaf, rows = problem.counts.codes[partition.group[kept]], partition.rows[kept]
    lost = [
        loss[leaf[:, a], levels[kept, a]] @ rows / problem.rows
        for a, loss in enumerate(costing.loss)
    ]
    return np.array(lost)


def _nodes_by_cost(layout: CellLayout) -> Whole:
    """(nodes, columns) by what the whole table loses there; ties by the sum of levels."""
    nodes = np.indices(layout.levels.tolist()).reshape(len(layout.levels), -1).T
    loss = np.zeros(len(nodes))
    for a, levels in enumerate(layout.levels):
        by_level = [
            float(layout.loss[layout.at[a, i] + layout.leaf[a]] @ layout.rows)
            for i in range(levels)
        ]
        loss += np.array(by_level)[nodes[:, a]]
    return nodes[np.lexsort((nodes.sum(axis=1), np.round(loss, 6)))]


def _words(layout: CellLayout) -> tuple[Whole, Whole]:
    """(columns,) the number of labels of each column, and the word of 62 bits that it goes into."""
    width: list[int] = []
    word: list[int] = []
    used = 1
    for a, levels in enumerate(layout.levels):
        labels = [layout.label[layout.at[a, i] + layout.leaf[a]] for i in range(levels)]
        wide = 1 + max(int(numbers.max(initial=0)) for numbers in labels)
        fits = used * wide < WORD
        word.append(0 if not word else word[-1] + (not fits))
        used = used * wide if fits else wide
        width.append(wide)
    return np.array(width, dtype=np.int64), np.array(word, dtype=np.int64)
