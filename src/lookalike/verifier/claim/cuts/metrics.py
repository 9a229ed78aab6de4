"""What a recoding by cuts costs, for the verifier alone: plain formulas on intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from lookalike.cost.defined_metric import DefinedMetric
from lookalike.counts.level_table import LevelTable
from lookalike.verifier.claim.group_classes import Whole
from lookalike.verifier.claim.metrics import (
    CountedNode,
    Floats,
    bits_to_guess,
    costing_for,
    marginal,
    mean_loss,
)
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.supplied_definitions import builtin_name


def cost_of_cuts(original: CountedOriginal, node: CountedNode, of: Sequence[Whole]) -> float:
    """By the policy's metric; infinite if it is not defined for cuts.

    ``of`` is, per column (leaves,), the interval of each value.
    """
    metric = original.policy.metric
    name = builtin_name(metric)
    if name in ("precision", "height") or isinstance(metric, DefinedMetric):
        return math.inf  # intervals are not on levels
    if name not in ("loss", "loss-geometric", "entropy"):  # counted by classes
        return costing_for(original).cost(node)
    gone, each = node.broken[node.of_group], []
    for a, table in enumerate(original.tables):
        if name == "entropy":
            rows = marginal(original.counts, a)
            lost, full = bits_to_guess(rows, of[a]), bits_to_guess(rows, np.zeros_like(of[a]))
        else:
            lost, full = _leaves_lost(table, of[a], original.low[a]), np.ones(table.leaves)
        leaf = original.counts.codes[:, a]
        each.append(np.where(gone, full[leaf], lost[leaf]))
    return mean_loss(original, each, original.counts.counts, geometric=name == "loss-geometric")


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
