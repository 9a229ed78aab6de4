"""The order in which lattice greedy visits the nodes, as far as it is known without the table.

Nodes are visited in the order of what the whole table would lose there, then by the sum of their
levels. For precision, the loss of a cell depends on its level alone, so everybody knows the order.
For the mean loss it depends on the value as well, and for other metrics on the whole table. Then
only some pairs of nodes have an order that is certain: for every table over the domain.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.release_view import Flags, ReleaseView, Whole
from lookalike.cost.loss import Loss
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy

Floats = NDArray[np.float64]
DIGITS = 6  # to which losses are rounded before they are compared
WHOLE_TABLE_METRICS = ("entropy", "loss-geometric")  # a cell's loss depends on the other rows


@dataclass(frozen=True, slots=True, eq=False)
class VisitingOrder:
    """The nodes of the lattice, and which of two is visited first."""

    nodes: Whole  # (nodes, columns) levels, in the order in which ties are broken
    loss: tuple[Floats, ...] | None  # for each column (leaves, levels), weighted; None if unknown

    def surely_before(self, others: Whole) -> Flags:
        """(nodes, others) is the node visited before the other one, whatever the table is?"""
        lower = (self.nodes[:, None] <= others[None]).all(axis=2)
        less = (self.nodes[:, None] < others[None]).any(axis=2)
        before: Flags = np.asarray(lower & less)
        if self.loss is not None:
            most = np.zeros(before.shape)  # by how much the node can lose more, for each row
            for a, loss in enumerate(self.loss):
                more = (loss[:, :, None] - loss[:, None, :]).max(axis=0)
                most += more[self.nodes[:, a]][:, others[:, a]]
            first = self._breaks_ties(self.nodes)[:, None] < self._breaks_ties(others)[None]
            before |= (most <= 1e-12) & first
            before |= most < -(10.0**-DIGITS)
        return before

    def of_table(self, rows: Whole, leaves: Whole) -> Whole:
        """The nodes in the order in which they are visited for a table: rows of leaf tuples."""
        assert self.loss is not None
        lost = np.zeros(len(self.nodes))
        for a, loss in enumerate(self.loss):
            lost += (rows @ loss[leaves[:, a]])[self.nodes[:, a]]
        order = np.lexsort((self.nodes.sum(axis=1), np.round(lost, DIGITS)))
        visited: Whole = self.nodes[order]
        return visited

    @staticmethod
    def _breaks_ties(nodes: Whole) -> Whole:
        """(nodes,) a number: the sum of levels, then the levels from the first column on."""
        width = int(nodes.max(initial=0)) + 1
        number = nodes.sum(axis=1)
        for a in range(nodes.shape[1]):
            number = number * width + nodes[:, a]
        return np.asarray(number)


def visiting_order(view: ReleaseView) -> VisitingOrder:
    """What the policy and the domain say about the order."""
    bounds = level_bounds(view)
    levels = [range(low, high + 1) for low, high in bounds]
    nodes = np.array(list(itertools.product(*levels)), dtype=np.int64)
    policy = view.policy
    if policy.metric.name in WHOLE_TABLE_METRICS:
        return VisitingOrder(nodes, None)
    weights = np.array([float(policy.weights.get(name, 1.0)) for name in policy.names])
    columns = [column.table for column in view.columns]
    loss = tuple(
        _loss(policy, table, bound) * weight
        for table, bound, weight in zip(columns, bounds, weights / weights.sum(), strict=True)
    )
    return VisitingOrder(nodes, loss)


def level_bounds(view: ReleaseView) -> list[tuple[int, int]]:
    """The finest and the coarsest level of each column that the policy allows."""
    return [view.policy.level_bounds(column.name, column.table.height) for column in view.columns]


def _loss(policy: Policy, table: LevelTable, bound: tuple[int, int]) -> Floats:
    """(leaves, levels) of a cell: the least on any level that is allowed and shows the same label.

    Metrics that are not a sum over cells are replaced by precision, as in the search.
    """
    if isinstance(policy.metric, Loss):
        spread = max(1, table.declared - 1)
        under = [leaves[table.codes[:, level]] for level, leaves in enumerate(table.leaves_under)]
        loss = (np.stack(under, axis=1) - 1) / spread
    else:
        loss = np.broadcast_to(np.arange(table.height + 1) / table.height, table.codes.shape)
    texts = [
        np.array(labels, dtype=object)[table.codes[:, level]]
        for level, labels in enumerate(table.labels)
    ]
    least = loss.astype(np.float64)
    low, high = bound
    for level, other in itertools.product(range(low, high + 1), repeat=2):
        same = texts[level] == texts[other]
        least[same, level] = np.minimum(least[same, level], loss[same, other])
    return least
