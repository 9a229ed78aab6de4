"""Star cells: each column at one level, and single cells suppressed where rows lack lookalikes.

A heuristic for models AG_CS and CS. Rows in classes of k at a lattice node stay as they are.
For the others sets of columns are starred, the cheapest sets first, until k rows look alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.column_metric import MarginalCosting
from lookalike.cost.metric import Floats
from lookalike.counts.remote_counts import Node
from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import Whole, cell_map
from lookalike.search.cells.cell_algorithm import CellAlgorithm
from lookalike.search.cells.node_coverage import (
    Coverage,
    best_node,
    coverage,
    weighted_losses,
    with_free_suppression,
)
from lookalike.search.node_labels import class_sizes
from lookalike.search.run import Run
from lookalike.solution.recoding import CellMap

MAX_COLUMNS = 16  # whose 65,536 sets are starred in turn
MAX_SETS = 1 << 14  # of columns, tried while the node is improved: 32 nodes of nine columns

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class StarCells(CellAlgorithm):
    """Heuristic over cell-level recodings: one level for each column, then single cells suppressed.

    Every class has k rows, no row is suppressed, and each cell is at the level of its column or
    ``*``. At every node that it finishes, if k rows or more stand out, their stars cost at most
    what suppressing all of them would (for metrics that are sums over cells). If fewer stand out,
    rows from classes with lookalikes to spare are starred with them. It tries the finest node; the
    one that would be cheapest if any number of rows could be suppressed; and from the better of the
    two one step up or down in a column, while that helps. Nodes that cannot cost less than the best
    are abandoned.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.StarCells())
    <Solution: optimal, cell-level, star-cells, cost 0.333333>
    """

    name = "star-cells"
    models = frozenset({"AG_CS", "CS"})
    promise = "Starring cells meets the policy. It does not promise a low cost."

    def why_unsuitable(self, problem: Problem) -> str | None:
        columns = len(problem.names)
        if columns > MAX_COLUMNS:
            return f"it tries all sets of columns, and {columns} columns have too many"
        if problem.policy.model is None and any(
            high < table.height for high, table in zip(problem.high, problem.tables, strict=True)
        ):
            return "it stars single cells, but the policy's levels forbid * in some column"
        return None

    def search(self, run: Run) -> None:
        problem = run.problem
        cost = {problem.low: _offer(run, problem.low)}
        if problem.policy.model is not None and problem.policy.model.generalize == "none":
            return
        node = best_node(run, with_free_suppression(problem))
        if node is not None and node not in cost:
            cost[node] = _offer(run, node)
        best = min(cost, key=cost.__getitem__)
        while len(cost) << len(problem.names) <= MAX_SETS:
            node = next((near for near in _near(problem, best) if near not in cost), None)
            if node is None:
                return
            cost[node] = _offer(run, node)
            if cost[node] < cost[best]:
                best = node


def _near(problem: Problem, node: Node) -> Iterator[Node]:
    """One step up or down in one column, columns with the most values first."""
    for a in sorted(range(len(node)), key=lambda a: -problem.tables[a].leaves):
        for level in (node[a] + 1, node[a] - 1):
            if problem.low[a] <= level <= problem.high[a]:
                yield (*node[:a], level, *node[a + 1 :])


def _offer(run: Run, node: Node) -> float:
    """Offer the node with stars; returns its cost, infinite if it was abandoned."""
    recoding = _starred(run, node)
    if recoding is None:
        return math.inf
    evaluation = run.offer(recoding)
    return evaluation.cost if evaluation.meets else math.inf


def _starred(run: Run, node: Node) -> CellMap | None:
    """The node with stars where rows lack lookalikes; None if it must cost more than the best."""
    problem, k = run.problem, run.problem.smallest
    base = coverage(problem, node)
    rows, shown = base.rows, base.shown
    spent, star = _losses(problem, base, node)
    limit = run.cost * problem.rows if _adds_up(problem) else math.inf
    starred = np.zeros(shown.shape, dtype=np.bool_)
    left = np.flatnonzero(~base.covered)
    for columns, loss in _sets(problem, node, star[left], rows[left]):
        waiting = int(rows[left].sum())
        if waiting < k:
            break
        run.mind_limits()
        if spent + waiting * loss > limit:
            return None
        alike = class_sizes(group_ids(shown[left][:, ~columns]), rows[left]) >= k
        closed = left[alike]
        starred[closed] = columns
        spent += float((rows[closed] * star[closed][:, columns].sum(axis=1)).sum())
        left = left[~alike]
    return _cell_map(problem, node, base, starred, left, star)


def _adds_up(problem: Problem) -> bool:
    """Is the cost the sum of what the cells lose?"""
    costing = problem.costing
    return isinstance(costing, MarginalCosting) and not costing.geometric


def _losses(problem: Problem, base: Coverage, node: Node) -> tuple[float, Floats]:
    """What all rows lose at the node; and (groups, columns) what a star adds for a row."""
    spent, star = 0.0, np.zeros(base.shown.shape)
    for a, losses in enumerate(weighted_losses(problem)):
        loss = losses[base.leaf[:, a], node[a]]
        spent += float((base.rows * loss).sum())
        star[:, a] = losses[base.leaf[:, a], -1] - loss
    return spent, star


def _sets(problem: Problem, node: Node, star: Floats, rows: Whole) -> Iterator[tuple[Flags, float]]:
    """The sets of columns that can be starred, by what a row loses on average.

    Among equal ones, first the sets that show the most values: without them most rows look alike.
    """
    below = [a for a, table in enumerate(problem.tables) if node[a] < table.height]
    sets = np.zeros(((1 << len(below)) - 1, len(node)), dtype=np.bool_)
    sets[:, below] = np.arange(1, 1 << len(below))[:, None] >> np.arange(len(below)) & 1
    loss = (sets * (star * rows[:, None]).sum(axis=0)).sum(axis=1) / max(1, int(rows.sum()))
    values = [len(np.unique(problem.label_numbers[a][level])) for a, level in enumerate(node)]
    for at in np.lexsort((-(sets * np.array(values)).sum(axis=1), loss.round(12))).tolist():
        yield sets[at], float(loss[at])


def _cell_map(
    problem: Problem, node: Node, base: Coverage, starred: Flags, left: Whole, star: Floats
) -> CellMap | None:
    """The cell map; if fewer than k rows are left, other rows join them where that costs least."""
    rows, group = base.rows, np.arange(len(base.rows))
    if len(left):
        loan = _loan(problem, base, starred, left, star)
        if loan is None:
            return None
        columns, lent = loan
        starred[left] = columns
        whole = lent == rows
        starred[whole] = columns
        some = np.flatnonzero((lent > 0) & ~whole)  # groups that lend some of their rows
        group = np.concatenate([group, some])
        starred = np.concatenate([starred, np.tile(columns, (len(some), 1))])
        rows = np.concatenate([np.where(whole, rows, rows - lent), lent[some]])
    heights = np.array([table.height for table in problem.tables])
    levels = np.where(starred, heights, np.array(node)).astype(np.int16)
    return cell_map(problem, problem.canonical[group], rows, levels)


def _loan(
    problem: Problem, base: Coverage, starred: Flags, left: Whole, star: Floats
) -> tuple[Flags, Whole] | None:
    """The columns to star for the rows that are left and those lent to them; (groups,) rows lent.

    One class lends as many rows as are missing, if it has k without them; otherwise all its rows.
    """
    rows, shown = base.rows, base.shown
    others = np.setdiff1d(np.arange(len(rows)), left)
    if not len(others):
        return None
    of = group_ids(np.where(starred, 0, shown + 1)[others])
    _, first = np.unique(of, return_index=True)
    sizes = np.bincount(of, weights=rows[others]).astype(np.int64)
    member = others[first]  # a group of each class
    alike = ~starred[member] & (shown[member][:, None] == shown[left]).all(axis=1)
    missing = problem.smallest - int(rows[left].sum())
    lent = np.where(sizes - missing >= problem.smallest, missing, sizes)
    if problem.policy.metric.class_column is not None:
        lent = sizes  # equal rows stay together: counts do not say which row has which label
    cost = (~alike * (star[left] * rows[left][:, None]).sum(axis=0)).sum(axis=1)
    cost += lent * (star[member] * (~alike & ~starred[member])).sum(axis=1)
    chosen = int(np.lexsort((member, cost))[0])
    members = others[of == chosen]
    before = np.cumsum(rows[members]) - rows[members]
    taken = np.zeros_like(rows)
    taken[members] = np.clip(lent[chosen] - before, 0, rows[members])
    return ~alike[chosen], taken
