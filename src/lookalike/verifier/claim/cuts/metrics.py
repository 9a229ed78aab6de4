"""What a recoding by cuts costs, for the verifier alone: plain formulas on intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.defined_metric import DefinedMetric
from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.verifier.claim.metrics import column_weights, marginal
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.supplied_definitions import builtin_name

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class CutNode:
    """A recoding by cuts that the verifier has counted."""

    of: tuple[Whole, ...]  # per column (leaves,): the interval of each value
    of_group: Whole  # (groups,) the class of each group
    gone: NDArray[np.bool_]  # (groups,) suppressed
    rows: Whole  # (groups,)

    @property
    def suppressed(self) -> int:
        return int(self.rows[self.gone].sum())

    @property
    def kept(self) -> Whole:
        """(released classes,) their sizes"""
        sizes = np.zeros(int(self.of_group.max(initial=-1)) + 1, dtype=np.int64)
        np.add.at(sizes, self.of_group[~self.gone], self.rows[~self.gone])
        return sizes[sizes > 0]


def cost_of_cuts(original: CountedOriginal, node: CutNode) -> float:
    """By the policy's metric; infinite if it is not defined for cuts."""
    counts, tables, metric = original.counts, original.tables, original.policy.metric
    name = builtin_name(metric)
    if name in ("precision", "height") or isinstance(metric, DefinedMetric):
        return math.inf  # intervals are not on levels
    match name:
        case "discernibility":
            return float((node.kept.astype(float) ** 2).sum()) + counts.rows * node.suppressed
        case "class-size":
            return counts.rows / max(1, len(node.kept) + (node.suppressed > 0))
        case "classification":
            assert metric.class_column is not None
            return _minorities(counts, metric.class_column, node) + node.suppressed
        case "loss" | "loss-geometric":
            lost = list(map(_leaves_lost, tables, node.of, original.low))
            full = [np.ones(table.leaves) for table in tables]
            return _over_columns(original, node, lost, full, name == "loss-geometric")
        case "entropy":
            return _over_columns(original, node, *_bits(counts, node))
        case _:
            raise NotImplementedError(f"the verifier does not know the metric {metric.name}")


def _minorities(counts: FrequencySet, column: str, node: CutNode) -> float:
    labels = counts.sensitive[column]
    table = np.zeros((int(node.of_group.max(initial=-1)) + 1, len(labels.values)), dtype=np.int64)
    kept = ~node.gone[labels.group]
    at = (node.of_group[labels.group[kept]], labels.code[kept])
    np.add.at(table, at, labels.count[kept])
    return float(table.sum() - table.max(axis=1, initial=0).sum())


def _over_columns(
    original: CountedOriginal,
    node: CutNode,
    lost: Sequence[Floats],  # per column (leaves,): what a cell loses
    full: Sequence[Floats],  # … and if its row is suppressed
    geometric: bool = False,
) -> float:
    counts, score = original.counts, 0.0
    for a, weight in enumerate(column_weights(original).tolist()):
        leaf = counts.codes[:, a]
        each = np.where(node.gone, full[a][leaf], lost[a][leaf])
        mean = float((each * node.rows).sum()) / max(1, counts.rows)
        score += weight * (math.log1p(mean) if geometric else mean)
    return math.expm1(score) if geometric else score


def _leaves_lost(table: LevelTable, of: Whole, low: int) -> Floats:
    """(leaves,) (leaves that the interval stands for − 1) / (declared leaves − 1)"""
    lost = np.zeros(table.leaves)
    held = [np.bincount(codes).tolist() for codes in table.codes.T]  # a level: values a group
    for members in members_of(of):
        codes = table.codes[members].tolist()
        stands_for = max(1, _stands_for(table, codes, held, low))
        lost[members] = (stands_for - 1) / max(1, table.declared - 1)
    return lost


def _stands_for(
    table: LevelTable, members: list[list[int]], held: list[list[int]], low: int
) -> int:
    """The declared leaves of the largest groups of which all values that occur are members.

    Among groups with the same values the lowest one counts, at or above the lowest level that is
    allowed. A member is the list of its codes, one for each level.
    """
    total = 0
    for level in range(table.height, low - 1, -1):
        here = Counter(codes[level] for codes in members)
        whole = {code for code, count in here.items() if count == held[level][code]}
        one_each = {codes[level]: codes for codes in members if codes[level] in whole}
        for code, codes in one_each.items():
            same = (at for at in range(low, level + 1) if held[at][codes[at]] == here[code])
            lowest = next(same)
            total += int(table.leaves_under[lowest][codes[lowest]])
        members = [codes for codes in members if codes[level] not in whole]
    return total


def members_of(of: Whole) -> list[list[int]]:
    """The leaves of each interval."""
    order = np.argsort(of, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(of[order])) + 1)
    return [part.tolist() for part in parts if len(part)]


def _bits(counts: FrequencySet, node: CutNode) -> tuple[list[Floats], list[Floats]]:
    """Per column and value: bits to guess it back from its interval, and from nothing at all."""
    lost, full = [], []
    for a, of in enumerate(node.of):
        rows = marginal(counts, a)
        alike = np.bincount(of, weights=rows)
        lost.append(np.log2(alike[of]) - np.log2(rows))
        full.append(np.log2(max(1, counts.rows)) - np.log2(rows))
    return lost, full
