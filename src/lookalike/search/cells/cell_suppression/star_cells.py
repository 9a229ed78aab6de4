"""Star cells: whole columns to one level each, then single cells suppressed where rows stand out.

A heuristic for models AG_CS and CS. Rows that have k lookalikes at a full-domain node stay as they
are; for the others sets of columns are starred, the cheapest sets first, until k rows look alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.column_metric import MarginalCosting
from lookalike.cost.metric import Floats
from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.algorithm import Algorithm
from lookalike.search.cells.node_coverage import (
    Cover,
    Node,
    any_may_go,
    best_node,
    cell_prices,
    cover,
    rows_alike,
)
from lookalike.search.jit_warmup import search_small_problem
from lookalike.search.run import Run
from lookalike.solution.recoding import CellMap, Space

COLUMNS = 16  # whose 65,536 sets can be starred in turn
WORK = 1 << 14  # sets of columns looked at while the node is improved: 32 nodes of nine columns

Flags = NDArray[np.bool_]
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StarCells(Algorithm):
    """Every class has k rows, no row is left out, and each column is at one level or at ``*``.

    At every node that it finishes, if k rows or more stand out, their stars cost at most what
    leaving all of them out would (for metrics that add up by cell). If fewer do, rows that have
    lookalikes to spare are starred with them. The nodes tried: the lowest; the one that would be
    cheapest if any number of rows might be left out; and from the better of the two one step up or
    down in a column, while that helps. Nodes that cannot be cheaper than the best are given up.
    """

    name = "star-cells"
    space = Space.CELL_LEVEL
    models = frozenset({"AG_CS", "CS"})
    promise = "Starring cells meets the policy. It does not promise a low cost."

    def why_unsuitable(self, problem: Problem) -> str | None:
        columns = len(problem.names)
        if columns > COLUMNS:
            return f"it stars sets of columns, and those of {columns} columns are too many to try"
        if problem.policy.model is None and any(
            high < table.height for high, table in zip(problem.high, problem.tables, strict=True)
        ):
            return "it stars single cells, and the policy's levels forbid * in some column"
        return None

    def compile_kernels(self, problem: Problem) -> None:
        search_small_problem(type(self))

    def search(self, run: Run) -> None:
        problem = run.problem
        cost = {problem.low: _offer(run, problem.low)}
        if problem.policy.model is not None and problem.policy.model.generalize == "none":
            return
        node = best_node(run, any_may_go(problem))
        if node is not None and node not in cost:
            cost[node] = _offer(run, node)
        best = min(cost, key=cost.__getitem__)
        while len(cost) << len(problem.names) <= WORK:
            node = next((near for near in _near(problem, best) if near not in cost), None)
            if node is None:
                return
            cost[node] = _offer(run, node)
            if cost[node] < cost[best]:
                best = node


def _near(problem: Problem, node: Node) -> Iterator[Node]:
    """One step up or down in one column, those with most values first."""
    for a in sorted(range(len(node)), key=lambda a: -problem.tables[a].leaves):
        for level in (node[a] + 1, node[a] - 1):
            if problem.low[a] <= level <= problem.high[a]:
                yield (*node[:a], level, *node[a + 1 :])


def _offer(run: Run, node: Node) -> float:
    """Offer the node with stars; its cost, infinite if it was not worth finishing."""
    recoding = _starred(run, node)
    if recoding is None:
        return math.inf
    found = run.offer(recoding)
    return found.cost if found.meets else math.inf


def _starred(run: Run, node: Node) -> CellMap | None:
    """Stars for those who stand out at a node; None if that must be dearer than the best known."""
    problem, k = run.problem, run.problem.smallest
    base = cover(problem, node)
    rows, shown = base.rows, base.shown
    spent, star = _prices(problem, base, node)
    most = run.cost * problem.rows if _adds_up(problem) else math.inf
    starred = np.zeros(shown.shape, dtype=np.bool_)
    left = np.flatnonzero(~base.covered)
    for columns, price in _sets(problem, node, star[left], rows[left]):
        waiting = int(rows[left].sum())
        if waiting < k:
            break
        run.mind_limits()
        if spent + waiting * price > most:
            return None
        close = rows_alike(group_ids(shown[left][:, ~columns]), rows[left]) >= k
        closed = left[close]
        starred[closed] = columns
        spent += float((rows[closed] * star[closed][:, columns].sum(axis=1)).sum())
        left = left[~close]
    return _recoded(problem, node, base, starred, left, star)


def _adds_up(problem: Problem) -> bool:
    """Is the cost the sum of what the cells cost?"""
    costing = problem.costing
    return isinstance(costing, MarginalCosting) and not costing.geometric


def _prices(problem: Problem, base: Cover, node: Node) -> tuple[float, Floats]:
    """What the node costs, all rows released; and (groups, columns) what a star adds for a row."""
    spent, star = 0.0, np.zeros(base.shown.shape)
    for a, prices in enumerate(cell_prices(problem)):
        price = prices[base.leaf[:, a], node[a]]
        spent += float((base.rows * price).sum())
        star[:, a] = prices[base.leaf[:, a], -1] - price
    return spent, star


def _sets(problem: Problem, node: Node, star: Floats, rows: Whole) -> Iterator[tuple[Flags, float]]:
    """The sets of columns that can be starred, by what that costs a row on average.

    Among equals first those that show most values: without them most rows look alike.
    """
    can = [a for a, table in enumerate(problem.tables) if node[a] < table.height]
    sets = np.zeros(((1 << len(can)) - 1, len(node)), dtype=np.bool_)
    sets[:, can] = np.arange(1, 1 << len(can))[:, None] >> np.arange(len(can)) & 1
    price = (sets * (star * rows[:, None]).sum(axis=0)).sum(axis=1) / max(1, int(rows.sum()))
    values = [len(np.unique(problem.label_numbers[a][level])) for a, level in enumerate(node)]
    for at in np.lexsort((-(sets * np.array(values)).sum(axis=1), price.round(12))).tolist():
        yield sets[at], float(price[at])


def _recoded(
    problem: Problem, node: Node, base: Cover, starred: Flags, left: Whole, star: Floats
) -> CellMap | None:
    """The cell map; rows left over, fewer than k, find company where that costs least."""
    rows, group = base.rows, np.arange(len(base.rows))
    if len(left):
        company = _company(problem, base, starred, left, star)
        if company is None:
            return None
        columns, lent = company
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


def _company(
    problem: Problem, base: Cover, starred: Flags, left: Whole, star: Floats
) -> tuple[Flags, Whole] | None:
    """The columns to be starred for the rows left over and their company; (groups,) rows lent.

    One class lends as many rows as are missing, if it has k without them, else it comes whole.
    """
    rows, shown = base.rows, base.shown
    others = np.setdiff1d(np.arange(len(rows)), left)
    if not len(others):
        return None
    of = group_ids(np.where(starred, 0, shown + 1)[others])
    _, first = np.unique(of, return_index=True)
    sizes = np.bincount(of, weights=rows[others]).astype(np.int64)
    one = others[first]  # a group of each class
    alike = ~starred[one] & (shown[one][:, None] == shown[left]).all(axis=1)
    missing = problem.smallest - int(rows[left].sum())
    lent = np.where(sizes - missing >= problem.smallest, missing, sizes)
    if problem.policy.metric.class_column is not None:
        lent = sizes  # equal rows stay together, or their labels could not be told from counts
    cost = (~alike * (star[left] * rows[left][:, None]).sum(axis=0)).sum(axis=1)
    cost += lent * (star[one] * (~alike & ~starred[one])).sum(axis=1)
    chosen = int(np.lexsort((one, cost))[0])
    members = others[of == chosen]
    before = np.cumsum(rows[members]) - rows[members]
    taken = np.zeros_like(rows)
    taken[members] = np.clip(lent[chosen] - before, 0, rows[members])
    return ~alike[chosen], taken
