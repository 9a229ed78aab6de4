"""The metrics once more, for the verifier alone: plain formulas on groups, and their bounds.

For each metric: the cost of a counted node; ``base``, a score that no coarser node gets
below; ``extra``, what must be added to that at every finer node because rows suppressed
here are suppressed there. The arguments are in the docstrings of ``cost/``; the arithmetic is this
file's own. Where the search estimates which rows are suppressed, the verifier looks them up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.class_size import ClassSize
from lookalike.cost.classification import Classification
from lookalike.cost.defined_metric import DefinedMetric
from lookalike.cost.discernibility import Discernibility
from lookalike.cost.entropy import Entropy
from lookalike.cost.height import Height
from lookalike.cost.loss import Loss
from lookalike.cost.precision import Precision
from lookalike.cost.recoded_table import RecodedTable
from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.requirements.sensitive_counts import Held

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class CountedNode:
    """A lattice node that the verifier has counted."""

    levels: tuple[int, ...]
    counts: FrequencySet  # whose groups they are
    floor_node: tuple[int, ...]  # and the node below which those are not known
    of_group: NDArray[np.int64]  # (groups,) the class of each group
    sizes: NDArray[np.int64]  # (classes,)
    broken: NDArray[np.bool_]  # (classes,) not released
    suppressed: int  # rows in broken classes
    lost: NDArray[np.bool_]  # (classes,) those of them not released at any finer node either
    held: Held | None = None  # what the classes hold, if rules speak of that

    @property
    def lost_rows(self) -> int:
        return int(self.sizes[self.lost].sum())


@dataclass(frozen=True, slots=True, eq=False)
class CellNode:
    """A cell-level recoding that the verifier has counted."""

    group: NDArray[np.int64]  # (pieces,) which group of the counts
    rows: NDArray[np.int64]  # (pieces,)
    levels: NDArray[np.int16]  # (pieces, columns)
    gone: NDArray[np.bool_]  # (pieces,)
    of: NDArray[np.int64]  # (pieces,) the class among those released
    sizes: NDArray[np.int64]  # (classes,)
    suppressed: int


class Costing(Protocol):
    @property
    def prior(self) -> list[Floats]:
        """Per attribute one score a level: what a node costs at least, with nothing counted."""
        ...

    def cost(self, node: CountedNode) -> float: ...

    def cost_of_cells(self, cells: CellNode) -> float: ...

    def base(self, node: CountedNode) -> float: ...

    def extra(self, node: CountedNode) -> list[Floats]: ...

    def value(self, score: float) -> float: ...


def costing_for(original: CountedOriginal) -> Costing:  # noqa: PLR0911 - one a metric
    """The verifier's own version of the policy's metric."""
    counts, tables, policy = original.counts, original.tables, original.policy
    ones = [np.ones(table.leaves) for table in tables]
    match policy.metric:
        case Precision():
            cells = [np.tile(np.arange(t.height + 1) / t.height, (t.leaves, 1)) for t in tables]
            return MarginalCosting(counts, tables, policy, cells, ones)
        case Loss(aggregate):
            cells = [_leaves_lost(table) for table in tables]
            return MarginalCosting(counts, tables, policy, cells, ones, aggregate == "geometric")
        case Entropy():
            return MarginalCosting(counts, tables, policy, *_bits(counts, tables))
        case Discernibility():
            return DiscernibilityCosting(counts, tables, policy)
        case Classification(column):
            return ClassificationCosting(counts, tables, column)
        case ClassSize():
            return ClassSizeCosting(counts, tables, policy)
        case Height():
            return HeightCosting(tables)
        case DefinedMetric():
            return DefinedCosting(policy.metric, original)
        case _:
            raise NotImplementedError(f"the verifier does not know the metric {policy.metric.name}")


def prior_bound(costing: Costing, low: Sequence[int]) -> float:
    """What any recoding costs at least, of any space, before anything is counted.

    ``low`` are the finest levels allowed: no cell loses less than there, nor in an interval, which
    is made of whole groups of the finest level; metrics that count classes know that none has fewer
    than k rows.
    """
    return costing.value(sum(float(costing.prior[a][level]) for a, level in enumerate(low)))


def _rows_by_value(counts: FrequencySet, a: int) -> Floats:
    if counts.marginals is not None:
        return counts.marginals[a].astype(np.float64)
    codes, least = counts.codes[:, a], len(counts.values[a])
    return np.bincount(codes, weights=counts.counts, minlength=least).astype(np.float64)


def _leaves_lost(table: LevelTable) -> Floats:
    lost = np.zeros(table.codes.shape)
    if table.declared > 1:
        for level in range(table.height + 1):
            under = table.leaves_under[level][table.codes[:, level]]
            lost[:, level] = (under - 1) / (table.declared - 1)
    return lost


def _bits(counts: FrequencySet, tables: Sequence[LevelTable]) -> tuple[list[Floats], list[Floats]]:
    cells, whole = [], []
    for a, table in enumerate(tables):
        rows = _rows_by_value(counts, a)
        bits = np.zeros(table.codes.shape)
        for level in range(table.height + 1):
            alike = np.zeros(len(table.labels[level]))
            np.add.at(alike, table.codes[:, level], rows)
            bits[:, level] = np.log2(alike[table.codes[:, level]]) - np.log2(rows)
        cells.append(bits)
        whole.append(np.log2(counts.rows) - np.log2(rows) if counts.rows else rows)
    return cells, whole


class MarginalCosting:
    """Precision, loss and entropy: per column the mean of what cells lose, then over columns."""

    def __init__(
        self,
        counts: FrequencySet,
        tables: Sequence[LevelTable],
        policy: Policy,
        cells: list[Floats],  # per attribute (leaves, levels): what a cell loses
        whole: list[Floats],  # per attribute (leaves,): what it loses when its row is suppressed
        geometric: bool = False,
    ) -> None:
        self.counts, self.cells, self.whole = counts, cells, whole
        self.geometric = geometric
        weights = np.array([float(policy.weights.get(t.name, 1.0)) for t in tables])
        self.weights = weights / weights.sum()
        self.rows = max(1, counts.rows)
        self.means = []
        for a in range(len(tables)):
            self.means.append((_rows_by_value(counts, a) @ self.cells[a]) / self.rows)
        self.rise = [whole[:, None] - cell for whole, cell in zip(whole, cells, strict=True)]
        self.asked: tuple[NDArray[np.bool_], list[Floats]] | None = None  # the last, and its answer

    def _gone(self, node: CountedNode, flags: NDArray[np.bool_]) -> list[Floats]:
        """By column and level, what suppression adds for the rows of these classes of the node."""
        if self.asked is None or self.asked[0] is not flags:
            there = np.flatnonzero(flags[node.of_group])
            rows, codes = node.counts.counts[there], node.counts.codes[there]
            added = [
                np.bincount(codes[:, a], weights=rows, minlength=len(rise)) @ rise / self.rows
                for a, rise in enumerate(self.rise)
            ]
            self.asked = flags, added
        return self.asked[1]

    def _scale(self, a: int, mean: Floats) -> Floats:
        scaled: Floats = np.log1p(mean) if self.geometric else mean
        return float(self.weights[a]) * scaled

    @property
    def prior(self) -> list[Floats]:
        return [self._scale(a, mean) for a, mean in enumerate(self.means)]

    def cost(self, node: CountedNode) -> float:
        score = sum(
            float(self._scale(a, self.means[a] + gone)[level])
            for a, (level, gone) in enumerate(
                zip(node.levels, self._gone(node, node.broken), strict=True)
            )
        )
        return self.value(score)

    def cost_of_cells(self, cells: CellNode) -> float:
        score = 0.0
        for a in range(len(self.cells)):
            leaf = self.counts.codes[cells.group, a]
            level = np.where(cells.gone, 0, cells.levels[:, a])
            each = np.where(cells.gone, self.whole[a][leaf], self.cells[a][leaf, level])
            mean = np.array([float((each * cells.rows).sum()) / self.rows])
            score += float(self._scale(a, mean)[0])
        return self.value(score)

    def base(self, node: CountedNode) -> float:
        return -np.inf  # the prior says it all

    def extra(self, node: CountedNode) -> list[Floats]:
        return [
            self._scale(a, self.means[a] + gone) - self._scale(a, self.means[a])
            for a, gone in enumerate(self._gone(node, node.lost))
        ]

    def value(self, score: float) -> float:
        return math.expm1(score) if self.geometric else score


class _ByClasses:
    """Metrics that only a count of the classes tells."""

    def __init__(self, tables: Sequence[LevelTable], least: float) -> None:
        self.heights = [table.height for table in tables]
        self.least = least

    def _same(self, value: float) -> list[Floats]:
        vectors = [np.zeros(height + 1) for height in self.heights]
        vectors[0] += value
        return vectors

    @property
    def prior(self) -> list[Floats]:
        return self._same(self.least)

    def value(self, score: float) -> float:
        return score


class DiscernibilityCosting(_ByClasses):
    """Discernibility."""

    def __init__(self, counts: FrequencySet, tables: Sequence[LevelTable], policy: Policy) -> None:
        self.rows = counts.rows
        self.k = min(policy.smallest, counts.rows)
        super().__init__(tables, float(self.rows * self.k))

    def _squares(self, node: CountedNode) -> float:
        return float((node.sizes[~node.broken].astype(float) ** 2).sum())

    def cost(self, node: CountedNode) -> float:
        return self._squares(node) + float(self.rows) * node.suppressed

    def cost_of_cells(self, cells: CellNode) -> float:
        enough = cells.sizes[cells.sizes >= self.k].astype(float)
        too_small = int(cells.sizes.sum() - enough.sum())  # shown, and charged as if suppressed
        return float((enough**2).sum()) + float(self.rows) * (cells.suppressed + too_small)

    def base(self, node: CountedNode) -> float:
        return self._squares(node) + float(self.k) * node.suppressed

    def extra(self, node: CountedNode) -> list[Floats]:
        return self._same(float(self.rows - self.k) * node.lost_rows)


class ClassificationCosting(_ByClasses):
    """Classification."""

    def __init__(self, counts: FrequencySet, tables: Sequence[LevelTable], column: str) -> None:
        self.labels = counts.sensitive[column]
        self.groups = counts.groups
        super().__init__(tables, 0.0)

    def _minority(self, node: CountedNode) -> NDArray[np.int64]:
        table = np.zeros((len(node.sizes), len(self.labels.values)), dtype=np.int64)
        classes = node.of_group[self.labels.group]
        np.add.at(table, (classes, self.labels.code), self.labels.count)
        minority: NDArray[np.int64] = node.sizes - table.max(axis=1, initial=0)
        return minority

    def cost(self, node: CountedNode) -> float:
        return float(self._minority(node)[~node.broken].sum() + node.suppressed)

    def cost_of_cells(self, cells: CellNode) -> float:
        of_group = self.labels.dense(self.groups)
        split = np.bincount(cells.group, minlength=self.groups) > 1
        if (split & ((of_group > 0).sum(axis=1) > 1)).any():
            return math.inf  # whose label goes where cannot be told from counts
        table = np.zeros((len(cells.sizes), of_group.shape[1]), dtype=np.int64)
        kept = ~cells.gone
        share = np.minimum(of_group[cells.group], cells.rows[:, None])
        np.add.at(table, cells.of[kept], share[kept])
        return float((cells.sizes - table.max(axis=1, initial=0)).sum() + cells.suppressed)

    def base(self, node: CountedNode) -> float:
        return float(self._minority(node).sum())

    def extra(self, node: CountedNode) -> list[Floats]:
        return self._same(float(node.lost_rows - self._minority(node)[node.lost].sum()))


class ClassSizeCosting(_ByClasses):
    """Average class size."""

    def __init__(self, counts: FrequencySet, tables: Sequence[LevelTable], policy: Policy) -> None:
        self.rows = counts.rows
        self.k = max(1, policy.smallest)
        grow = all(rule.grows for rule in policy.require)
        self.spare = 0 if grow else self.k  # a class may be gone at a coarser node
        super().__init__(tables, -float(self.rows + self.spare))

    def cost(self, node: CountedNode) -> float:
        classes = int((~node.broken).sum()) + (1 if node.suppressed else 0)
        return self.rows / max(1, classes)

    def cost_of_cells(self, cells: CellNode) -> float:
        return self.rows / max(1, len(cells.sizes) + (1 if cells.suppressed else 0))

    def base(self, node: CountedNode) -> float:
        return -float(self.k * int((~node.broken).sum()) + node.suppressed + self.spare)

    def extra(self, node: CountedNode) -> list[Floats]:
        return self._same(float(max(0, node.lost_rows - 1)))

    def value(self, score: float) -> float:
        return self.rows / max(1, math.ceil(-score / self.k))


class HeightCosting(_ByClasses):
    """Height."""

    def __init__(self, tables: Sequence[LevelTable]) -> None:
        super().__init__(tables, 0.0)

    @property
    def prior(self) -> list[Floats]:
        return [np.arange(height + 1, dtype=float) for height in self.heights]

    def cost(self, node: CountedNode) -> float:
        return float(sum(node.levels))

    def cost_of_cells(self, cells: CellNode) -> float:
        return math.inf

    def base(self, node: CountedNode) -> float:
        return -np.inf

    def extra(self, node: CountedNode) -> list[Floats]:
        return self._same(0.0)


class DefinedCosting(_ByClasses):
    """A metric of another package: its own definition, on a table that is counted here."""

    def __init__(self, metric: DefinedMetric, original: CountedOriginal) -> None:
        super().__init__(original.tables, 0.0)
        self.metric, self.original = metric, original

    def cost(self, node: CountedNode) -> float:
        return self.metric.cost(self._recoded_node(node))

    def cost_of_cells(self, cells: CellNode) -> float:
        of = np.where(cells.gone, -1, cells.of)
        leaves = self.original.counts.codes[cells.group]
        return self.metric.cost(self._recoded(leaves, cells.rows, of, cells.levels))

    def base(self, node: CountedNode) -> float:
        return self.metric.floor(self._recoded_node(node))

    def extra(self, node: CountedNode) -> list[Floats]:
        return self._same(0.0)

    def _recoded_node(self, node: CountedNode) -> RecodedTable:
        released = np.flatnonzero(~node.broken)
        number = np.full(len(node.sizes), -1)
        number[released] = range(len(released))
        levels = np.broadcast_to(node.levels, node.counts.codes.shape)
        return self._recoded(node.counts.codes, node.counts.counts, number[node.of_group], levels)

    def _recoded(
        self,
        leaf: NDArray[np.int32],
        rows: NDArray[np.int64],
        of: NDArray[np.int64],
        levels: NDArray[Any],
    ) -> RecodedTable:
        tables, policy = self.original.tables, self.original.policy
        weights = np.array([float(policy.weights.get(table.name, 1.0)) for table in tables])
        at, under = np.zeros((2, *leaf.shape), dtype=np.int64)
        for a, table in enumerate(tables):
            under_leaf = np.stack(
                [own[codes] for own, codes in zip(table.leaves_under, table.codes.T, strict=True)]
            )  # (levels, leaves)
            at[:, a] = np.where(of < 0, table.height, levels[:, a])
            under[:, a] = under_leaf[at[:, a], leaf[:, a]]
        return RecodedTable(
            total=self.original.counts.rows,
            smallest=policy.smallest,
            weights=weights / weights.sum(),
            heights=np.array(self.heights),
            declared=np.array([table.declared for table in tables]),
            rows=rows,
            of=of,
            levels=at,
            leaves=under,
        )
