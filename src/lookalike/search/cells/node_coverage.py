"""What a full-domain node covers: the rows that it gives k lookalikes, and which node does it best.

Ground shared by cell-level algorithms that start from a node and go on cell by cell. Groups are
numbered here in the canonical order, as in cell maps, so that the outcome does not depend on the
order in which an engine lists them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.column_metric import MarginalCosting
from lookalike.cost.metric import Floats
from lookalike.cost.precision import Precision
from lookalike.events import silent
from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.search.bounds.datafly_climb import climb_by_distinct_values
from lookalike.search.bounds.node_choice import pick
from lookalike.search.limits import Limits
from lookalike.search.run import Run, Stopped

Node = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """A node met with the groups."""

    leaf: NDArray[np.int32]  # (groups, columns)
    rows: NDArray[np.int64]  # (groups,)
    shown: NDArray[np.int64]  # (groups, columns) the label at the node, as a number
    of: NDArray[np.int64]  # (groups,) the class
    covered: NDArray[np.bool_]  # (groups,) the class has k rows


def cover(problem: Problem, node: Node) -> Cover:
    """Who looks alike at a node, by the labels, and who has enough company."""
    leaf = problem.counts.codes[problem.canonical]
    rows = problem.counts.counts[problem.canonical]
    shown = labels_at(problem, leaf, node)
    of = group_ids(shown)
    return Cover(leaf, rows, shown, of, rows_alike(of, rows) >= problem.smallest)


def labels_at(problem: Problem, leaf: NDArray[np.int32], node: Node) -> NDArray[np.int64]:
    """(groups, columns) the label of each cell at a node, as a number."""
    columns = zip(problem.label_numbers, node, strict=True)
    return np.stack([number[level, leaf[:, a]] for a, (number, level) in enumerate(columns)], 1)


def rows_alike(of: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """(groups,) how many rows the class of each group holds."""
    held: NDArray[np.int64] = np.bincount(of, weights=rows).astype(np.int64)[of]
    return held


def best_node(run: Run, problem: Problem) -> Node | None:
    """The cheapest full-domain node, found with at most half of what the run's limits leave.

    Exact unless it runs into that half, or the lattice is too large: then Datafly's node.
    """
    inner = Run(problem, _half(run), silent, run.seed)
    with suppress(Stopped):
        _search(inner)
    run.checks += inner.checks
    run.mind_limits()
    return inner.best_node


def _search(inner: Run) -> None:
    if inner.lattice is None:
        climb_by_distinct_values(inner)
        return
    met, allowance = True, inner.problem.allowance
    while node := pick(inner.lattice, inner.cost, turn=inner.checks, met=met, allowance=allowance):
        met = inner.check(node).meets


def _half(run: Run) -> Limits:
    limits = run.limits
    return Limits(
        None if limits.seconds is None else max(0.0, limits.seconds - run.seconds) / 2,
        None if limits.checks is None else max(0, limits.checks - run.checks) // 2,
        limits.cancelled,
    )


def any_may_go(problem: Problem) -> Problem:
    """The same problem, if any number of rows might be left out."""
    return Problem(
        replace(problem.policy, suppress=1.0, model=None), problem.counts, problem.tables
    )


def cell_prices(problem: Problem) -> list[Floats]:
    """Per column (leaves, levels): what a cell costs, weighted.

    By the policy's metric, if that adds up cell by cell; metrics of classes go by Prec.
    """
    costing = problem.costing
    if not isinstance(costing, MarginalCosting):
        costing = Precision().on(problem.ground)
        assert isinstance(costing, MarginalCosting)
    return [
        weight * loss for weight, loss in zip(problem.ground.weights, costing.loss, strict=True)
    ]
