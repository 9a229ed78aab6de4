"""All cheapest cell-level recodings of a small table, not only one.

Every class of any of them costs nearly its dual price, so it is among those that the exact search
lists (``cell_optimal.py``). Here all ways to put these together are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import Fault, NotSuited
from lookalike.events import silent
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.bounds.cell_layout import Layout, lay_out
from lookalike.search.bounds.dual_prices import Pricing, RepairedPrices
from lookalike.search.bounds.row_sets import RowSets, partition_of
from lookalike.search.cells.exact.cell_optimal import CellOptimal
from lookalike.search.cells.lattice_greedy import lowest_levels
from lookalike.search.limits import Limits
from lookalike.search.solve import solve
from lookalike.solution.recoding import CellMap
from lookalike.solution.solution import Solution, Status

SETS = 50_000  # classes to try
TABLES = 10_000  # recodings to list
TIE = 1e-7
ONE = "ask for one of them: la.solve(problem, la.CellOptimal())"


def optimal_tables(problem: Problem, limits: Limits | None = None) -> list[Solution]:
    """Every cheapest cell-level recoding, each as a solution with the same proof.

    Recodings are the same if every group of equal rows shows the same, as many times.
    """
    best = solve(problem, CellOptimal(), limits, silent)
    if best.status is not Status.OPTIMAL or best.cost is None:
        raise _refused("the optimum was not found within the limits", "give it more time")
    layout = lay_out(problem)
    limit = min(problem.allowance, max(0, problem.rows - 1))
    pricing = Pricing(layout, limit)
    first = best.proof.prices[0]
    per_row = np.empty(problem.counts.groups)
    per_row[problem.canonical] = first.per_row
    prices, _ = pricing.repaired(per_row, first.suppression)
    gap = best.cost * problem.rows - prices.bound
    sets = pricing.near(prices, gap + TIE, SETS)
    if sets is None:
        raise _refused("too many classes could be part of an optimum", ONE)
    found: dict[bytes, CellMap] = {}
    for taken in _choices(layout, limit, sets, prices, gap + TIE):
        partition = partition_of(sets, taken)
        recoding = cell_map(
            problem, partition.group, partition.rows, lowest_levels(layout, partition)
        )
        key = b"".join(part.tobytes() for part in (recoding.group, recoding.rows, recoding.levels))
        found.setdefault(key, recoding)
        if len(found) > TABLES:
            raise _refused(f"there are more than {TABLES:,} of them", ONE)
    judged = (problem.evaluate(one) for _, one in sorted(found.items()))
    return [
        replace(best, recoding=one.recoding, classes=one.classes, suppressed=one.suppressed)
        for one in judged
        if one.meets and one.cost <= best.cost + TIE / problem.rows
    ]


def _refused(problem: str, fix: str) -> NotSuited:
    return NotSuited(Fault("optimal_tables", problem, fix))


def _choices(
    layout: Layout, limit: int, sets: RowSets, prices: RepairedPrices, room: float
) -> Iterator[NDArray[np.int64]]:
    """How often each set is taken, in every way that holds all rows within ``room``."""
    reduced = sets.reduced_costs(prices.per_row, prices.suppression).tolist()
    held = [
        list(zip(sets.group[i:j].tolist(), sets.size[i:j].tolist(), strict=True))
        for i, j in zip(sets.start[:-1].tolist(), sets.start[1:].tolist(), strict=True)
    ]
    holding: list[list[int]] = [[] for _ in layout.rows]
    for s, entries in enumerate(held):
        for group, _ in entries:
            holding[group].append(s)
    left = layout.rows.tolist()
    taken = np.zeros(len(sets), dtype=np.int64)
    gone = [limit]

    def onward(spent: float) -> Iterator[NDArray[np.int64]]:
        group = next((g for g, rows in enumerate(left) if rows), None)
        if group is None:
            yield taken.copy()
            return
        for s in holding[group]:
            fits = all(left[g] >= rows for g, rows in held[s])
            if not fits or spent + reduced[s] > room or gone[0] < sets.suppressed[s]:
                continue
            for g, rows in held[s]:
                left[g] -= rows
            gone[0] -= int(sets.suppressed[s])
            taken[s] += 1
            yield from onward(spent + reduced[s])
            taken[s] -= 1
            gone[0] += int(sets.suppressed[s])
            for g, rows in held[s]:
                left[g] += rows

    yield from onward(0.0)
