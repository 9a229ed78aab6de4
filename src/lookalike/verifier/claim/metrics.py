"""The metrics, implemented again for the verifier: costs of nodes and cell maps, and their bounds.

For each metric: the ``cost`` of a counted node; ``base``, a score that no coarser node gets below;
``extra``, what is added to the base at every finer node because rows lost here are suppressed there
too. The docstrings in ``cost/`` prove the bounds; the arithmetic here is independent. Where the
search estimates which values suppressed rows hold, the verifier looks them up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.defined_metric import DefinedMetric
from lookalike.cost.recoded_table import RecodedTable
from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.requirements.sensitive_counts import CountedClasses
from lookalike.verifier.supplied_definitions import builtin_name

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class CountedNode:
    """A lattice node, or a recoding by cuts, that the verifier has counted."""

    levels: tuple[int, ...]  # none by cuts
    counts: FrequencySet  # the groups that it was counted from
    floor_node: tuple[int, ...]  # the node of those groups: finer values are not known
    of_group: NDArray[np.int64]  # (groups,) the class of each group
    sizes: NDArray[np.int64]  # (classes,)
    broken: NDArray[np.bool_]  # (classes,) not released
    suppressed: int  # rows in broken classes
    lost: NDArray[np.bool_]  # (classes,) broken, and suppressed at every finer node too
    classes: CountedClasses | None = None  # with sensitive values, if requirements need them

    @property
    def lost_rows(self) -> int:
        """Rows in lost classes."""
        return int(self.sizes[self.lost].sum())


@dataclass(frozen=True, slots=True, eq=False)
class CountedCells:
    """A cell-level recoding that the verifier has counted."""

    group: NDArray[np.int64]  # (pieces,) which group of the counts
    rows: NDArray[np.int64]  # (pieces,)
    levels: NDArray[np.int16]  # (pieces, columns)
    gone: NDArray[np.bool_]  # (pieces,) suppressed
    of: NDArray[np.int64]  # (pieces,) the class, −1 where suppressed
    sizes: NDArray[np.int64]  # (classes,)
    suppressed: int


class Costing:
    """A metric applied to one table; by default, score and cost are the same."""

    adds_up = False  # is the score of a node a sum over columns?

    def __init__(self, original: CountedOriginal, least: float = 0.0) -> None:
        self.original = original
        self.rows = original.counts.rows
        self.least = least  # the prior of every node

    @property
    def prior(self) -> list[Floats]:
        """Per column (levels,); its sum at a node's levels is the node's first base."""
        return self._constant(self.least)

    def cost(self, node: CountedNode) -> float:
        """The cost of a lattice node."""
        raise NotImplementedError

    def cells(self, counted: CountedCells) -> float:
        """The cost of a cell-level recoding; infinite if the metric is not defined for it."""
        return math.inf

    def base(self, node: CountedNode) -> float:
        """Holds for every coarser node; −inf if it adds nothing to the prior."""
        return -math.inf

    def extra(self, node: CountedNode) -> list[Floats]:
        """Per column (levels,); its sum at the levels of a finer node holds for that node."""
        return self._constant(0.0)

    def value(self, score: float) -> float:
        """The cost of a score; non-decreasing."""
        return score

    def score(self, cost: float) -> float:
        """If the score adds up: every score of at least this costs at least ``cost``."""
        return cost

    def _constant(self, value: float) -> list[Floats]:
        """Per column (levels,) a bound that is the same at every node."""
        vectors = [np.zeros(table.height + 1) for table in self.original.tables]
        vectors[0] += value
        return vectors


def costing_for(original: CountedOriginal) -> Costing:  # noqa: PLR0911 - one a metric
    """The verifier's own version of the policy's metric."""
    tables, metric = original.tables, original.policy.metric
    ones = [np.ones(table.leaves) for table in tables]
    if isinstance(metric, DefinedMetric):
        return DefinedCosting(original, metric)
    match builtin_name(metric):
        case "precision":
            loss = [np.tile(np.arange(t.height + 1) / t.height, (t.leaves, 1)) for t in tables]
            return MarginalCosting(original, loss, ones)
        case "loss" | "loss-geometric":
            loss = [_leaves_lost(table) for table in tables]
            return MarginalCosting(original, loss, ones, geometric=metric.name == "loss-geometric")
        case "entropy":
            return MarginalCosting(original, *_bits(original))
        case "discernibility":
            return DiscernibilityCosting(original)
        case "classification":
            return ClassificationCosting(original)
        case "class-size":
            return ClassSizeCosting(original)
        case "height":
            return HeightCosting(original)
        case _:
            raise NotImplementedError(f"the verifier does not know the metric {metric.name}")


def prior_bound(costing: Costing, low: Sequence[int]) -> float:
    """What any recoding costs at least, in any space, before anything is counted.

    ``low`` are the finest levels allowed. No cell loses less than there, and neither does an
    interval, because it is made of whole groups of the finest level. Metrics that count classes
    know that none has fewer than k rows.
    """
    return costing.value(sum(float(costing.prior[a][level]) for a, level in enumerate(low)))


def column_weights(original: CountedOriginal) -> Floats:
    """(columns,) their sum is 1."""
    columns = [original.policy.weights.get(table.name, 1.0) for table in original.tables]
    weights = np.array(columns, dtype=np.float64)
    return np.asarray(weights / weights.sum())


def marginal(counts: FrequencySet, a: int) -> Floats:
    """(leaves,) rows that hold each leaf of a column."""
    if counts.marginals is not None:
        return counts.marginals[a].astype(np.float64)
    codes, leaves = counts.codes[:, a], len(counts.values[a])
    return np.bincount(codes, weights=counts.counts, minlength=leaves).astype(np.float64)


def _leaves_lost(table: LevelTable) -> Floats:
    """(leaves, levels) the share of other leaves that the label of each leaf stands for."""
    if table.declared <= 1:
        return np.zeros(table.codes.shape)
    return (_leaves_under(table) - 1) / (table.declared - 1)


def _leaves_under(table: LevelTable) -> NDArray[np.int64]:
    """(leaves, levels) the declared leaves that the label of each leaf stands for."""
    levels = zip(table.leaves_under, table.codes.T, strict=True)
    return np.stack([under[codes] for under, codes in levels], axis=1)


def _bits(original: CountedOriginal) -> tuple[list[Floats], list[Floats]]:
    """Per column: bits to guess a leaf from its label (leaves, levels) and from ``*`` (leaves,)."""
    loss, full = [], []
    for a, table in enumerate(original.tables):
        rows = marginal(original.counts, a)
        loss.append(np.stack([bits_to_guess(rows, codes) for codes in table.codes.T], axis=1))
        full.append(bits_to_guess(rows, np.zeros(table.leaves, dtype=np.int64)))
    return loss, full


def bits_to_guess(rows: Floats, of: NDArray[np.integer]) -> Floats:
    """(leaves,) bits to guess each leaf back, from the label or interval that it is shown as.

    ``rows`` hold each leaf; ``of`` is the number of its label or interval.
    """
    return np.asarray(np.log2(np.bincount(of, weights=rows)[of]) - np.log2(rows))


def mean_loss(
    original: CountedOriginal,
    each: Iterable[Floats],
    rows: NDArray[np.int64],
    *,
    geometric: bool,
) -> float:
    """Per column the mean of what cells lose, then over columns.

    ``each`` is, per column (pieces,), what a cell of a piece loses; ``rows`` are those of a piece.
    """
    score = 0.0
    for weight, lost in zip(column_weights(original).tolist(), each, strict=True):
        mean = float((lost * rows).sum()) / max(1, original.counts.rows)
        score += weight * (math.log1p(mean) if geometric else mean)
    return math.expm1(score) if geometric else score


class MarginalCosting(Costing):
    """Precision, loss and entropy: per column the mean of what cells lose, then over columns."""

    adds_up = True

    def __init__(
        self,
        original: CountedOriginal,
        loss: list[Floats],  # per column (leaves, levels): what a cell loses
        full: list[Floats],  # per column (leaves,): what it loses when its row is suppressed
        *,
        geometric: bool = False,
    ) -> None:
        super().__init__(original)
        self.counts, self.loss, self.full = original.counts, loss, full
        self.geometric = geometric
        self.weights = column_weights(original)
        self.rows = max(1, self.rows)
        self.means = [
            (marginal(self.counts, a) @ of_column) / self.rows for a, of_column in enumerate(loss)
        ]
        self.rise = [whole[:, None] - cell for whole, cell in zip(full, loss, strict=True)]
        self.last: tuple[NDArray[np.bool_], list[Floats]] | None = None  # flags, and their answer

    def _added(self, node: CountedNode, flags: NDArray[np.bool_]) -> list[Floats]:
        """Per column (levels,) what it adds to the mean that the flagged classes are suppressed."""
        if self.last is None or self.last[0] is not flags:
            groups = np.flatnonzero(flags[node.of_group])
            rows, codes = node.counts.counts[groups], node.counts.codes[groups]
            added = [
                np.bincount(codes[:, a], weights=rows, minlength=len(rise)) @ rise / self.rows
                for a, rise in enumerate(self.rise)
            ]
            self.last = flags, added
        return self.last[1]

    def _score(self, a: int, mean: Floats) -> Floats:
        scaled: Floats = np.log1p(mean) if self.geometric else mean
        return float(self.weights[a]) * scaled

    @property
    def prior(self) -> list[Floats]:
        return [self._score(a, mean) for a, mean in enumerate(self.means)]

    def cost(self, node: CountedNode) -> float:
        added = self._added(node, node.broken)
        score = sum(
            float(self._score(a, self.means[a] + added[a])[level])
            for a, level in enumerate(node.levels)
        )
        return self.value(score)

    def cells(self, counted: CountedCells) -> float:
        each = []
        for a, (loss, full) in enumerate(zip(self.loss, self.full, strict=True)):
            leaf = self.counts.codes[counted.group, a]
            level = np.where(counted.gone, 0, counted.levels[:, a])
            each.append(np.where(counted.gone, full[leaf], loss[leaf, level]))
        return mean_loss(self.original, each, counted.rows, geometric=self.geometric)

    def extra(self, node: CountedNode) -> list[Floats]:
        return [
            self._score(a, self.means[a] + added) - self._score(a, self.means[a])
            for a, added in enumerate(self._added(node, node.lost))
        ]

    def value(self, score: float) -> float:
        return math.expm1(score) if self.geometric else score

    def score(self, cost: float) -> float:
        return math.log1p(cost) if self.geometric else cost


class DiscernibilityCosting(Costing):
    """Discernibility: |E| for each row of a class E, the rows of the table for a suppressed row."""

    def __init__(self, original: CountedOriginal) -> None:
        rows = original.counts.rows
        self.k = min(original.policy.smallest, rows)
        super().__init__(original, float(rows * self.k))

    def _squares(self, node: CountedNode) -> float:
        return float((node.sizes[~node.broken].astype(float) ** 2).sum())

    def cost(self, node: CountedNode) -> float:
        return self._squares(node) + float(self.rows) * node.suppressed

    def cells(self, counted: CountedCells) -> float:
        enough = counted.sizes[counted.sizes >= self.k].astype(float)
        small_rows = int(counted.sizes.sum() - enough.sum())  # cost as much as suppressed rows
        return float((enough**2).sum()) + float(self.rows) * (counted.suppressed + small_rows)

    def base(self, node: CountedNode) -> float:
        return self._squares(node) + float(self.k) * node.suppressed

    def extra(self, node: CountedNode) -> list[Floats]:
        return self._constant(float(self.rows - self.k) * node.lost_rows)


class ClassificationCosting(Costing):
    """Classification: rows that do not have the majority label of their class."""

    def __init__(self, original: CountedOriginal) -> None:
        column = original.policy.metric.class_column
        assert column is not None
        self.labels = original.counts.sensitive[column]
        self.groups = original.counts.groups
        super().__init__(original)

    def _minority(self, node: CountedNode) -> NDArray[np.int64]:
        """(classes,) rows without the majority label."""
        table = np.zeros((len(node.sizes), len(self.labels.values)), dtype=np.int64)
        classes = node.of_group[self.labels.group]
        np.add.at(table, (classes, self.labels.code), self.labels.count)
        minority: NDArray[np.int64] = node.sizes - table.max(axis=1, initial=0)
        return minority

    def cost(self, node: CountedNode) -> float:
        return float(self._minority(node)[~node.broken].sum() + node.suppressed)

    def cells(self, counted: CountedCells) -> float:
        of_group = self.labels.dense(self.groups)
        split = np.bincount(counted.group, minlength=self.groups) > 1
        if (split & ((of_group > 0).sum(axis=1) > 1)).any():
            return math.inf  # counts do not say which row of a split group has which label
        table = np.zeros((len(counted.sizes), of_group.shape[1]), dtype=np.int64)
        kept = ~counted.gone
        share = np.minimum(of_group[counted.group], counted.rows[:, None])
        np.add.at(table, counted.of[kept], share[kept])
        return float((counted.sizes - table.max(axis=1, initial=0)).sum() + counted.suppressed)

    def base(self, node: CountedNode) -> float:
        return float(self._minority(node).sum())

    def extra(self, node: CountedNode) -> list[Floats]:
        return self._constant(float(node.lost_rows - self._minority(node)[node.lost].sum()))


class ClassSizeCosting(Costing):
    """Average class size; the suppressed rows are one class."""

    def __init__(self, original: CountedOriginal) -> None:
        self.k = max(1, original.policy.smallest)
        grows = all(rule.grows for rule in original.policy.require)
        self.spare = 0 if grows else self.k  # a released class may be broken at a coarser node
        super().__init__(original, -float(original.counts.rows + self.spare))

    def cost(self, node: CountedNode) -> float:
        classes = int((~node.broken).sum()) + (1 if node.suppressed else 0)
        return self.rows / max(1, classes)

    def cells(self, counted: CountedCells) -> float:
        return self.rows / max(1, len(counted.sizes) + (1 if counted.suppressed else 0))

    def base(self, node: CountedNode) -> float:
        return -float(self.k * int((~node.broken).sum()) + node.suppressed + self.spare)

    def extra(self, node: CountedNode) -> list[Floats]:
        return self._constant(float(max(0, node.lost_rows - 1)))

    def value(self, score: float) -> float:
        return self.rows / max(1, math.ceil(-score / self.k))


class HeightCosting(Costing):
    """Height: the sum of the levels."""

    adds_up = True

    @property
    def prior(self) -> list[Floats]:
        return [np.arange(table.height + 1, dtype=float) for table in self.original.tables]

    def cost(self, node: CountedNode) -> float:
        return float(sum(node.levels))


class DefinedCosting(Costing):
    """A metric of another package: its own definition, on a table that is counted here."""

    def __init__(self, original: CountedOriginal, metric: DefinedMetric) -> None:
        super().__init__(original)
        self.metric = metric

    def cost(self, node: CountedNode) -> float:
        return self.metric.cost(self._recoded_node(node))

    def cells(self, counted: CountedCells) -> float:
        of = np.where(counted.gone, -1, counted.of)
        leaves = self.original.counts.codes[counted.group]
        return self.metric.cost(self._recoded(leaves, counted.rows, of, counted.levels))

    def base(self, node: CountedNode) -> float:
        return self.metric.floor(self._recoded_node(node))

    def _recoded_node(self, node: CountedNode) -> RecodedTable:
        number = np.where(node.broken, -1, np.cumsum(~node.broken) - 1)
        levels = np.broadcast_to(node.levels, node.counts.codes.shape)
        return self._recoded(node.counts.codes, node.counts.counts, number[node.of_group], levels)

    def _recoded(
        self,
        leaf: NDArray[np.int32],
        rows: NDArray[np.int64],
        of: NDArray[np.int64],
        levels: NDArray[Any],
    ) -> RecodedTable:
        tables = self.original.tables
        at, under = np.zeros((2, *leaf.shape), dtype=np.int64)
        for a, table in enumerate(tables):
            at[:, a] = np.where(of < 0, table.height, levels[:, a])
            under[:, a] = _leaves_under(table)[leaf[:, a], at[:, a]]
        return RecodedTable(
            total=self.rows,
            smallest=self.original.policy.smallest,
            weights=column_weights(self.original),
            heights=np.array([table.height for table in tables]),
            declared=np.array([table.declared for table in tables]),
            rows=rows,
            of=of,
            levels=at,
            leaves=under,
        )
