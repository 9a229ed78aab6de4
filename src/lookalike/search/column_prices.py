"""What each quasi-identifier costs: the cost of the others without it, by short searches.

A column that is left out of the quasi-identifiers asks for no lookalikes, like a column that shows
only ``*``. So the search without it is a search with the column at its top, which costs nothing.
It begins with the node found for all columns. Both costs are estimates: large neighborhoods find
them with few counts.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import numpy as np

from lookalike.events import silent
from lookalike.problem.column_costs import COSTLIEST
from lookalike.problem.explanation import ColumnPrice, ColumnPrices
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.limits import Limits
from lookalike.search.run import Run, Stopped
from lookalike.solution.recoding import Space

if TYPE_CHECKING:
    from lookalike.counts.remote_counts import Node
    from lookalike.problem.evaluation import Evaluation

MIN_COLUMNS = 9  # with fewer, one sees by oneself
CHECKS, CHECKS_WITHOUT = 2_500, 60  # nodes counted for all columns, and without each
IDLE_ROUNDS = 60


def price_columns(problem: Problem, algorithm: Algorithm) -> ColumnPrices | None:
    """The three columns that it would help most to leave out; None if it cannot be estimated."""
    if (
        len(problem.names) < MIN_COLUMNS
        or algorithm.space is not Space.FULL_DOMAIN
        or not problem.holds_all_tuples
    ):
        return None
    best = _short_search(problem, CHECKS)
    if best is None or (costs := problem.apply(best.recoding).column_costs()) is None:
        return None
    prices = []
    for a, name in enumerate(problem.names):
        without = cost_without(problem, a, best.levels)
        if without is not None:
            share = float(costs[a] / best.cost) if best.cost else 0.0
            prices.append(ColumnPrice(name, share, without))
    prices.sort(key=lambda price: price.cost_without)
    return ColumnPrices(best.cost, tuple(prices[:COSTLIEST]))


def cost_without(
    problem: Problem, a: int, node: Node, checks: int = CHECKS_WITHOUT
) -> float | None:
    """An estimate of the cost of the other columns, if column ``a`` asks for no lookalikes.

    ``node`` meets the policy. None if a coarser node does not, which k-anonymity does not know.
    """
    top = problem.tables[a].height
    others = copy.copy(problem)
    others.low = (*problem.low[:a], top, *problem.low[a + 1 :])
    others.high = (*problem.high[:a], top, *problem.high[a + 1 :])
    best = _short_search(others, checks, (*node[:a], top, *node[a + 1 :]))
    if best is None:
        return None
    costs = others.apply(best.recoding).column_costs()
    assert costs is not None
    return float(np.delete(costs, a).sum())


def _short_search(problem: Problem, checks: int, begin: Node | None = None) -> Evaluation | None:
    """The best of large neighborhoods after some counts."""
    from lookalike.search.lattice.boxes.kernel_warmup import compile_boxes
    from lookalike.search.lattice.boxes.neighborhoods import Neighborhoods
    from lookalike.search.lattice.boxes.node_counts import NodeCounter

    compile_boxes()
    run = Run(problem, Limits(checks=checks), silent, 0, bounds_every_node=False)
    try:
        neighborhoods = Neighborhoods(run, NodeCounter(problem, run.count_one))
        if neighborhoods.start() if begin is None else neighborhoods.start_at(begin):
            neighborhoods.search(IDLE_ROUNDS)
    except Stopped:
        pass
    return run.best
