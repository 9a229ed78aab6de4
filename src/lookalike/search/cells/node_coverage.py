"""The coverage of a lattice node: the rows in classes of k or more there; and the cheapest node.

For cell-level algorithms that start from a node and go on cell by cell. Groups are numbered in
canonical order, as in cell maps, so that the result does not depend on the order in which an engine
lists them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.metric import Floats
from lookalike.counts.remote_counts import Node
from lookalike.events import silent
from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.search.bounds.cell_layout import cell_losses
from lookalike.search.bounds.datafly_climb import climb_by_distinct_values
from lookalike.search.bounds.node_choice import count_open_nodes
from lookalike.search.limits import Limits
from lookalike.search.node_labels import class_sizes, labels_at
from lookalike.search.run import Run, Stopped


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """What the groups show at a node, and which of them have enough lookalikes."""

    leaf: NDArray[np.int32]  # (groups, columns)
    rows: NDArray[np.int64]  # (groups,)
    shown: NDArray[np.int64]  # (groups, columns) the label at the node, as a number
    of: NDArray[np.int64]  # (groups,) the class
    covered: NDArray[np.bool_]  # (groups,) has the class k rows?


def coverage(problem: Problem, node: Node) -> Coverage:
    """The coverage of a node."""
    leaf = problem.counts.codes[problem.canonical]
    rows = problem.counts.counts[problem.canonical]
    shown = labels_at(problem, leaf, node)
    of = group_ids(shown)
    return Coverage(leaf, rows, shown, of, class_sizes(of, rows) >= problem.smallest)


def best_node(run: Run, problem: Problem) -> Node | None:
    """The cheapest node of the lattice, found with at most half of what is left of the limits.

    Exact, unless that is not enough, or the lattice is too large; then it is Datafly's node.
    """
    inner = Run(problem, _half(run), silent, run.seed)
    with suppress(Stopped):
        if inner.lattice is None:
            climb_by_distinct_values(inner)
        else:
            count_open_nodes(inner)
    run.checks += inner.checks
    run.mind_limits()
    return inner.best_node


def _half(run: Run) -> Limits:
    limits = run.limits
    return Limits(
        None if limits.seconds is None else max(0.0, limits.seconds - run.seconds) / 2,
        None if limits.checks is None else max(0, limits.checks - run.checks) // 2,
        limits.cancelled,
    )


def with_free_suppression(problem: Problem) -> Problem:
    """The same problem, where any number of rows may be suppressed."""
    return Problem(
        replace(problem.policy, suppress=1.0, model=None), problem.counts, problem.tables
    )


def weighted_losses(problem: Problem) -> list[Floats]:
    """Per column (leaves, levels): what a cell loses."""
    losses = zip(problem.ground.weights, cell_losses(problem).loss, strict=True)
    return [weight * loss for weight, loss in losses]
