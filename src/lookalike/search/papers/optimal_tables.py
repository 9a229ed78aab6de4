"""List all cheapest cell-level recodings of a small table.

Every class of any of them costs nearly its dual price, so the exact search lists it
(``cell_optimal.py``). Here all combinations of these classes are tried.
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
from lookalike.search.bounds.cell_layout import CellLayout, lay_out
from lookalike.search.bounds.dual_prices import Pricing, RepairedPrices
from lookalike.search.bounds.row_sets import RowSets, partition_of
from lookalike.search.cells.exact.cell_optimal import CellOptimal
from lookalike.search.cells.lattice_greedy import lowest_levels
from lookalike.search.limits import Limits
from lookalike.search.solve import solve
from lookalike.solution.recoding import CellMap
from lookalike.solution.solution import Solution, Status

MAX_SETS = 50_000  # classes to combine
MAX_TABLES = 10_000  # recodings to list
ROUNDING = 1e-7
FIX = "search for one of them: la.solve(problem, la.CellOptimal())"


def optimal_tables(problem: Problem, limits: Limits | None = None) -> list[Solution]:
    """All cheapest cell-level recodings of a small table, each as a solution with the same proof.

    Two recodings are the same if every group of equal rows shows the same, equally often.

    Parameters
    ----------
    problem : Problem
        From ``la.prepare``.
    limits : Limits, optional
        When to stop the search for the first of them.

    Returns
    -------
    list of Solution

    Raises
    ------
    NotSuited
        If the optimum is not found within the limits, or there are too many of them.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> policy = la.Policy(quasi_identifiers={"sex": la.flat()}, require=la.KAnonymity(2))
    >>> problem = la.prepare(pa.table({"sex": ["f", "f", "f", "m"]}), policy)
    >>> len(la.optimal_tables(problem))
    1
    """
    best = solve(problem, CellOptimal(), limits, silent)
    if best.status is not Status.OPTIMAL or best.cost is None:
        raise _unsuitable("the optimum was not found within the limits", "allow more time")
    layout = lay_out(problem)
    limit = min(problem.allowance, max(0, problem.rows - 1))
    pricing = Pricing(layout, limit)
    first = best.proof.prices[0]
    per_row = np.empty(problem.counts.groups)
    per_row[problem.canonical] = first.per_row
    prices, _ = pricing.repaired(per_row, first.suppression)
    gap = best.cost * problem.rows - prices.bound
    sets = pricing.near(prices, gap + ROUNDING, MAX_SETS)
    if sets is None:
        raise _unsuitable("too many classes could be part of an optimum", FIX)
    recodings: dict[bytes, CellMap] = {}
    for taken in _choices(layout, limit, sets, prices, gap + ROUNDING):
        partition = partition_of(sets, taken)
        recoding = cell_map(
            problem, partition.group, partition.rows, lowest_levels(layout, partition)
        )
        key = b"".join(part.tobytes() for part in (recoding.group, recoding.rows, recoding.levels))
        recodings.setdefault(key, recoding)
        if len(recodings) > MAX_TABLES:
            raise _unsuitable(f"there are more than {MAX_TABLES:,} of them", FIX)
    evaluations = [problem.evaluate(recodings[key]) for key in sorted(recodings)]
    return [
        replace(best, recoding=one.recoding, classes=one.classes, suppressed=one.suppressed)
        for one in evaluations
        if one.meets and one.cost <= best.cost + ROUNDING / problem.rows
    ]


def _unsuitable(problem: str, fix: str) -> NotSuited:
    return NotSuited(Fault("optimal_tables", problem, fix))


def _choices(
    layout: CellLayout, limit: int, sets: RowSets, prices: RepairedPrices, reach: float
) -> Iterator[NDArray[np.int64]]:
    """(sets,) how often each is taken, for every choice that contains all rows within the reach."""
    reduced_cost = sets.reduced_costs(prices.per_row, prices.suppression).tolist()
    entries = [
        list(zip(sets.group[i:j].tolist(), sets.size[i:j].tolist(), strict=True))
        for i, j in zip(sets.start[:-1].tolist(), sets.start[1:].tolist(), strict=True)
    ]
    containing: list[list[int]] = [[] for _ in layout.rows]
    for s, groups in enumerate(entries):
        for group, _ in groups:
            containing[group].append(s)
    left = layout.rows.tolist()
    taken = np.zeros(len(sets), dtype=np.int64)

    def complete(total: float, may_suppress: int) -> Iterator[NDArray[np.int64]]:
        group = next((g for g, rows in enumerate(left) if rows), None)
        if group is None:
            yield taken.copy()
            return
        for s in containing[group]:
            fits = all(left[g] >= rows for g, rows in entries[s])
            if not fits or total + reduced_cost[s] > reach or may_suppress < sets.suppressed[s]:
                continue
            for g, rows in entries[s]:
                left[g] -= rows
            taken[s] += 1
            yield from complete(total + reduced_cost[s], may_suppress - int(sets.suppressed[s]))
            taken[s] -= 1
            for g, rows in entries[s]:
                left[g] += rows

    yield from complete(0.0, limit)
