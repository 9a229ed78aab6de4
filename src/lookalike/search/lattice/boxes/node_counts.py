"""Count nodes for the search in boxes: how many rows must be suppressed, and what that costs.

If the policy asks only for the size of classes, and the cost is a sum over columns, nodes are
counted as masks of words. For all other policies and metrics the problem judges each node.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.metric import CountedNode, Floats
from lookalike.counts.bit_codes import BitCodes
from lookalike.counts.classes import Classes
from lookalike.counts.remote_counts import Node
from lookalike.problem.problem import Problem

Whole = NDArray[np.int64]
MAX_CACHED = 500_000  # nodes whose counts are kept; then all are forgotten


@dataclass(frozen=True, slots=True, eq=False)
class Tuples:
    """The table collapsed at a node: what every coarser node is counted from."""

    node: Node
    classes: Classes
    words: Whole  # (tuples, words); without any if the problem judges each node
    starts: Whole  # where blocks begin
    ceiling: Node | None = None  # lookalikes at this node are in one block; None: all are


@dataclass(frozen=True, slots=True, eq=False)
class NodeBounds:
    """What a counted node says about finer and coarser nodes."""

    finer_meet: bool  # may any finer node meet the policy?
    lost: int  # rows that every finer node suppresses
    extra: Floats | None  # (columns, levels) see ``cost/metric.py``; None if it adds nothing
    base: float = -math.inf


class NodeCounter:
    """Counts the nodes of one problem."""

    def __init__(self, problem: Problem, looked: Callable[[], None]) -> None:
        self.problem = problem
        self.looked = looked  # is called before every count
        self.adds_up = problem.costing.prior_is_base
        self.codes = _bit_codes(problem) if self.adds_up else None
        self.known: dict[Node, int] = {}  # rows lost; more than the allowance: no finer node meets
        groups = problem.groups
        capacity = 16
        while capacity < 2 * groups:
            capacity *= 2
        self.slots = np.empty(capacity, dtype=np.int32)
        self.first, self.rows, self.of = np.empty((3, max(1, groups)), dtype=np.int64)
        self.limit = problem.allowance if problem.allowance < problem.rows else problem.rows - 1
        self.words = np.zeros((groups, 0), dtype=np.int64)
        if self.codes is not None:
            self.words = _words(problem, self.codes)
        self.ground = self._tuples((0,) * len(problem.names), problem.encoded.ground)

    def collapse(self, node: Node, source: Tuples) -> Tuples:
        """The tuples of a node at or above that of the source."""
        if node == source.node:
            return source
        return self._tuples(node, self.problem.classes(node, source.classes))

    def between(self, low: Node, high: Node, source: Tuples) -> Tuples:
        """The tuples of the low node, so that nodes below the high node are counted quickly."""
        if self.codes is None:
            return self.collapse(low, source)
        if source.node == low and source.ceiling == high:
            return source
        from lookalike.search.lattice.boxes.masked_count_kernels import refine

        words, sizes, member, starts = refine(
            source.words, source.classes.sizes, source.classes.member, self._starts(high, source),
            self._masks(low), self._masks(high), self.slots, self.first, self.rows, self.of,
        )  # fmt: skip
        return Tuples(low, Classes(sizes, member), words, starts, high)

    def lost(self, node: Node, tuples: Tuples) -> int:
        """Rows that this node and all finer ones suppress; perhaps fewer if they are too many."""
        known = self.known.get(node)
        if known is not None:
            return known
        if self.codes is None:
            return self.bounds(node, tuples).lost
        rows = self._count(node, tuples, self.limit)
        self._remember(node, rows)
        return rows

    def small_rows(self, node: Node, tuples: Tuples) -> int:
        """Rows that must be suppressed, also if they are too many."""
        if self.codes is None:
            self.looked()
            facts = self.problem.judge(node, self.problem.classes(node, tuples.classes))
            return facts.suppressed if facts.node and facts.node.finer_meet else self.problem.rows
        return self._count(node, tuples, self.problem.rows)

    def breaks(self, node: Node, tuples: Tuples) -> bool:
        """Do this node and all finer ones break the policy?"""
        return self.lost(node, tuples) > self.limit

    def bounds(self, node: Node, tuples: Tuples) -> NodeBounds:
        """What a node says about others."""
        problem = self.problem
        if self.codes is None:
            self.looked()
            facts = problem.judge(node, problem.classes(node, tuples.classes)).node
            assert facts is not None
            lost = min(facts.lost, self.limit) if facts.finer_meet else self.limit + 1
            self._remember(node, lost)
            if not facts.finer_meet:
                return NodeBounds(False, lost, None, facts.cost.base)
            return NodeBounds(True, lost, facts.cost.extra if lost else None, facts.cost.base)
        lost = self.lost(node, tuples)
        if lost > self.limit:
            return NodeBounds(False, lost, None)
        return NodeBounds(True, lost, self._extra(node, tuples, lost) if lost else None)

    def cost(self, node: Node, tuples: Tuples) -> float:
        """What a node costs, infinite if it does not meet the policy."""
        problem = self.problem
        if self.codes is None:
            self.looked()
            evaluation = problem.judge(node, problem.classes(node, tuples.classes))
            return evaluation.cost if evaluation.meets else math.inf
        lost = self.lost(node, tuples)
        if lost > self.limit:
            return math.inf
        score = problem.costing.prior
        if lost:
            score = score + self._extra(node, tuples, lost)
        return problem.costing.value(float(score[np.arange(len(node)), node].sum()))

    def _count(self, node: Node, tuples: Tuples, limit: int) -> int:
        from lookalike.search.lattice.boxes.masked_count_kernels import count_small_rows

        self.looked()
        return int(
            count_small_rows(
                tuples.words, tuples.classes.sizes, self._starts(node, tuples), self._masks(node),
                self.problem.smallest, limit, self.slots, self.first, self.rows,
            )
        )  # fmt: skip

    def _extra(self, node: Node, tuples: Tuples, lost: int) -> Floats:
        from lookalike.search.lattice.boxes.masked_count_kernels import flag_small_classes

        small = flag_small_classes(
            tuples.words, tuples.classes.sizes, self._starts(node, tuples), self._masks(node),
            self.problem.smallest, self.slots, self.first, self.rows, self.of,
        )  # fmt: skip
        counted = CountedNode(
            self.problem.encoded, np.array(node), tuples.classes, small, lost, small
        )
        return self.problem.costing.node(counted).extra

    def _starts(self, node: Node, tuples: Tuples) -> Whole:
        ceiling = tuples.ceiling
        if ceiling is None or all(a <= b for a, b in zip(node, ceiling, strict=True)):
            return tuples.starts
        return np.array([0, len(tuples.classes)])

    def _masks(self, node: Node) -> Whole:
        assert self.codes is not None
        return np.array(self.codes.masks(node), dtype=np.int64)

    def _tuples(self, node: Node, classes: Classes) -> Tuples:
        words = self.words[classes.member]
        return Tuples(node, classes, words, np.array([0, len(classes)]))

    def _remember(self, node: Node, lost: int) -> None:
        if len(self.known) >= MAX_CACHED:
            self.known.clear()
        self.known[node] = lost


def _bit_codes(problem: Problem) -> BitCodes | None:
    """The numbers of all leaves, if nodes can be counted by size alone."""
    conventions: Any = problem.policy.conventions
    if (
        not all(rule.by_size and not rule.table_wide for rule in problem.policy.require)
        or not problem.one_set
        or problem.people is not None
        or conventions.suppressed != "drop"
    ):
        return None
    try:
        return BitCodes(problem.tables)
    except OverflowError:
        return None


def _words(problem: Problem, codes: BitCodes) -> Whole:
    """(groups, words) the tuples, in the order of the problem's encoding."""
    words = np.zeros((problem.groups, codes.words), dtype=np.int64)
    for a, column in enumerate(codes.columns):
        words[:, column.word] |= column.number[problem.encoded.leaf[:, a]]
    return words
