"""Check a proof that is a tree of boxes: does every node cost at least the bound that is claimed?

The tree divides the lattice into boxes. At each box it cites nodes, which are counted here. What
they rule out is taken from the box, by the arguments below and nothing else; the search is not
asked. A box is closed if nothing is left of it. The proof holds if all boxes at the ends of the
tree are closed.

A cited node v says one of two things:

- Too many rows stand out at v, and so at all finer nodes: v is *broken* (``box_kernels.py``).
- Otherwise rows that are suppressed at v are suppressed at every finer node, which raises what the
  nodes of a box below v cost (``extra`` in ``metrics.py``).

A box with one node is closed also if this node was cited and costs at least the bound or does not
meet the policy. For metrics that count classes, a box is closed by ``base`` of a cited node at or
below its lower end and ``extra`` of one at or above its upper end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lookalike.solution.proof import Step
from lookalike.solution.solution import Solution
from lookalike.verifier.claim.claim_findings import (
    bound_check,
    bound_finding,
    claimed_bound,
    less_rounding,
    refuted_bound,
)
from lookalike.verifier.claim.lattice.node_counts import NodeCounter
from lookalike.verifier.claim.lattice.small_classes import SmallClasses
from lookalike.verifier.claim.metrics import Costing, Floats, costing_for
from lookalike.verifier.counted_original import CountedOriginal, LatticeNode
from lookalike.verifier.finding import Finding

Whole = NDArray[np.int64]
MALFORMED = "its tree of boxes is not complete"
LEFT_OPEN = "a box of the lattice is left open"


class _Refused(Exception):
    """The proof does not prove the claim; the message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class _Facts:
    """What counting a cited node has shown."""

    node: Whole  # (columns,)
    broken: bool  # does no finer node meet the policy, nor this one?
    extra: Floats | None = None  # (columns, levels)
    base: float = -math.inf
    cost: float = math.inf  # of the node itself; infinite if it does not meet the policy


@dataclass(slots=True, eq=False)
class _Box:
    """A part of the lattice, and what is known about all of its nodes."""

    lower: Whole  # (columns,)
    upper: Whole
    score: Floats  # (columns, levels) the sum at a node's levels bounds the node's score
    broken: int  # how many of the broken nodes cited so far hold here
    others: tuple[_Facts, ...] = field(default=())  # cited nodes that are not broken
    empty: bool = False


def check_bound(original: CountedOriginal, solution: Solution) -> Finding:
    """Does every node that meets the policy cost at least the bound?"""
    proof = solution.proof
    if not all(map(original.allows, proof.nodes)) or original.floor:
        problem = "The proof names nodes that are not in the lattice."
        return Finding(bound_check(solution), False, problem)
    assert proof.boxes is not None
    claimed = claimed_bound(solution)
    walk = _Walk(original, proof.nodes, less_rounding(claimed))
    try:
        walk.follow(proof.boxes.tokens.tolist())
    except _Refused as refusal:
        return refuted_bound(solution, str(refusal))
    return bound_finding(original.policy, solution, claimed)


class _Walk:
    """One walk through the tree."""

    def __init__(
        self, original: CountedOriginal, nodes: Sequence[LatticeNode], bound: float
    ) -> None:
        self.original, self.nodes, self.bound = original, nodes, bound
        self.counter = NodeCounter(original)
        self.costing: Costing = costing_for(original)
        self.small = SmallClasses(original) if SmallClasses.serves(original) else None
        self.target = self.costing.score(bound) if self.costing.adds_up else math.inf
        self.facts: dict[int, _Facts] = {}
        self.broken = np.zeros((64, len(original.low)), dtype=np.int64)
        levels = max(table.height for table in original.tables) + 1
        self.prior = np.zeros((len(original.low), levels))
        for a, prior in enumerate(self.costing.prior):
            self.prior[a, : len(prior)] = prior

    def follow(self, tokens: list[int]) -> None:
        """Walk the tree; refused unless every end is closed."""
        low, high = (
            np.array(end, dtype=np.int64) for end in (self.original.low, self.original.high)
        )
        waiting = [_Box(low, high, _rising(self.prior, high), 0)]
        at = 0
        while waiting:
            box = waiting.pop()
            while True:
                token, at = self._take(tokens, at)
                if token == Step.CLOSED:
                    self._end(box)
                    break
                if token == Step.SPLIT:
                    column, at = self._take(tokens, at)
                    level, at = self._take(tokens, at)
                    waiting += self._parts(box, column, level)
                    break
                if token == Step.SUM:
                    number, at = self._take(tokens, at)
                    if not 0 < number <= len(tokens) - at:
                        raise _Refused(MALFORMED)
                    self._add_up(box, tokens[at : at + number])
                    at += number
                else:
                    self._cite(box, token)
        if at != len(tokens):
            raise _Refused(MALFORMED)

    def _take(self, tokens: list[int], at: int) -> tuple[int, int]:
        if at >= len(tokens):
            raise _Refused(MALFORMED)
        return tokens[at], at + 1

    def _count(self, number: int) -> _Facts:
        """What a cited node says; each is counted once."""
        if not 0 <= number < len(self.nodes):
            raise _Refused(MALFORMED)
        if number not in self.facts:
            levels = self.nodes[number]
            at = np.array(levels, dtype=np.int64)
            if (
                self.small is not None
                and self.costing.adds_up
                and not self.original.may_suppress(self.small.count(levels))
            ):
                self.facts[number] = _Facts(at, broken=True)
                return self.facts[number]
            node = self.counter.count(levels)
            if not self.counter.finer_meet(node):
                base = -math.inf if self.costing.adds_up else self.costing.base(node)
                self.facts[number] = _Facts(at, broken=True, base=base)
            else:
                extra = np.zeros_like(self.prior)
                for a, more in enumerate(self.costing.extra(node)):
                    extra[a, : len(more)] = more
                cost = self.costing.cost(node) if self.counter.meets(node) else math.inf
                self.facts[number] = _Facts(at, False, extra, self.costing.base(node), cost)
        return self.facts[number]

    def _cite(self, box: _Box, number: int) -> None:
        facts = self._count(number)
        if facts.broken:
            self._keep_broken(box, facts)
        if not facts.broken or not self.costing.adds_up:
            box.others = (*box.others, facts)
        self._narrow(box)
        if box.empty or facts.extra is None or not self.costing.adds_up:
            return
        if (facts.node >= box.upper).all():
            score = _rising(self.prior + facts.extra, box.upper)
            if _at(score, box.lower) > _at(box.score, box.lower):
                box.score = score

    def _keep_broken(self, box: _Box, facts: _Facts) -> int:
        if box.broken == len(self.broken):
            self.broken = np.concatenate((self.broken, np.zeros_like(self.broken)))
        self.broken[box.broken] = facts.node
        box.broken += 1
        return box.broken - 1

    def _narrow(self, box: _Box) -> None:
        from lookalike.verifier.claim.lattice.box_kernels import narrow  # late: loads numba

        if not box.empty:
            box.empty = bool(
                narrow(box.lower, box.upper, box.score, self.target, self.broken, box.broken)
            )

    def _add_up(self, box: _Box, numbers: list[int]) -> None:
        from lookalike.verifier.claim.lattice.box_kernels import narrow_by_sum  # late: loads numba

        cited = [self._count(number) for number in numbers]
        if not all(facts.broken for facts in cited):
            raise _Refused("a node that it adds up does not break the policy")
        chosen = np.array([self._keep_broken(box, facts) for facts in cited], dtype=np.int64)
        self._narrow(box)
        if not box.empty:
            box.empty, apart = narrow_by_sum(
                box.lower, box.upper, box.score, self.target, self.broken, chosen
            )
            if not apart:
                raise _Refused("nodes that it adds up are about the same column")

    def _parts(self, box: _Box, column: int, level: int) -> list[_Box]:
        """The two parts of a box, the one to walk first at the end."""
        if not 0 <= column < len(box.lower):
            raise _Refused(MALFORMED)
        self._narrow(box)
        above, below = (
            _Box(box.lower.copy(), box.upper.copy(), box.score, box.broken, box.others, box.empty)
            for _ in range(2)
        )
        below.upper[column] = min(below.upper[column], level)
        above.lower[column] = max(above.lower[column], level + 1)
        for part in (above, below):
            part.empty = part.empty or bool((part.lower > part.upper).any())
        return [above, below]

    def _end(self, box: _Box) -> None:
        """Refused unless nothing in the box costs less than the bound."""
        self._narrow(box)
        if not (box.empty or self._is_single(box) or self._is_bounded(box)):
            raise _Refused(LEFT_OPEN)

    def _is_single(self, box: _Box) -> bool:
        """Is it one node, which was counted, and which costs enough or does not meet the policy?"""
        return bool((box.lower == box.upper).all()) and any(
            facts.cost >= self.bound for facts in box.others if (facts.node == box.lower).all()
        )

    def _is_bounded(self, box: _Box) -> bool:
        """Do ``base`` and ``extra`` of cited nodes show that nothing costs less?"""
        lower, upper = box.lower, box.upper
        base = max(
            [_at(self.prior, lower)] + [f.base for f in box.others if (f.node <= lower).all()]
        )
        extra = max(
            [0.0]
            + [
                sum(float(f.extra[a, lower[a] : upper[a] + 1].min()) for a in range(len(lower)))
                for f in box.others
                if f.extra is not None and (f.node >= upper).all()
            ]
        )
        return self.costing.value(base + extra) >= self.bound


def _at(score: Floats, levels: Whole) -> float:
    return float(score[np.arange(len(levels)), levels].sum())


def _rising(score: Floats, upper: Whole) -> Floats:
    """(columns, levels) the least value from each level up to the upper end, and endless above."""
    rising = np.full_like(score, np.inf)
    for a, top in enumerate(upper.tolist()):
        rising[a, : top + 1] = np.minimum.accumulate(score[a, top::-1])[::-1]
    return rising
