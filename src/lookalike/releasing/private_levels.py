"""Choose the levels of a private release from the data, by the exponential mechanism.

**The score** of a node is detail(node) · Σ over its classes E of max(0, |E| − m), counted on the
whole table. detail is the share of precision that the levels keep, from 0 to 1; it depends on the
hierarchies alone. m + 1 rows are the fewest of which k are expected in the sample, so the score is
about the rows that will be released.

**Sensitivity.** One more row makes one class of a node larger by 1, or new with 1 row. Since
max(0, n − m) grows by 0 or 1 with n, the score never falls and grows by at most detail(node), hence
by at most the detail of the finest node allowed. (The number of rows in classes above m, which is
the plain count, would grow by up to m + 1.)

**Candidates.** All nodes, if there are few. Otherwise, as in SafePub (Bild, Kuhn and Prasser
2018), a walk from the coarsest node: each step adds the finer neighbors of the node it stands on
to the candidates, and moves to one of them by the mechanism. One last draw chooses among the
visited nodes. Which candidates there are follows from earlier draws, so by sequential composition
t draws with ε/t each are ε-differentially private.

The whole table is used here, and the sample is drawn afterwards, independently. If both used one
sample, sequential composition would not apply as it stands: the choice tells something about the
sample, on whose randomness the theorem for the release rests.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from lookalike.policy.policy import Policy
from lookalike.privacy.differential_privacy import DifferentialPrivacy
from lookalike.problem.problem import Problem
from lookalike.releasing.exponential_mechanism import choose
from lookalike.releasing.randomness import Randomness

Node = tuple[int, ...]
MAX_CANDIDATES = 5_000  # nodes that are counted one by one; of larger lattices, a walk


def private_levels(problem: Problem, randomness: Randomness) -> Node:
    """The levels of the release: given by the policy, or chosen with ``search_epsilon``."""
    rule = promise_of(problem.policy)
    return draw_levels(Scoring(problem, rule), randomness) if rule.search_epsilon else problem.low


def draw_levels(scoring: Scoring, randomness: Randomness) -> Node:
    """One draw of the levels, with all of ``search_epsilon``."""
    problem, epsilon = scoring.problem, Fraction(repr(scoring.rule.search_epsilon))
    if problem.nodes > MAX_CANDIDATES:
        return _walk(scoring, epsilon, randomness)
    ranges = (range(a, b + 1) for a, b in zip(problem.low, problem.high, strict=True))
    return scoring.draw(list(itertools.product(*ranges)), epsilon, randomness)


def promise_of(policy: Policy) -> DifferentialPrivacy:
    """The requirement of differential privacy; a policy that needs a sample has one."""
    [rule] = (rule for rule in policy.require if isinstance(rule, DifferentialPrivacy))
    return rule


def _walk(scoring: Scoring, epsilon: Fraction, randomness: Randomness) -> Node:
    """As many steps as there are from the coarsest to the finest node, and a last draw."""
    problem = scoring.problem
    steps = sum(problem.high) - sum(problem.low)
    share = epsilon / (steps + 1)
    visited, candidates = [problem.high], dict.fromkeys(scoring.finer(problem.high))
    for _ in range(steps):
        node = scoring.draw(list(candidates), share, randomness)
        del candidates[node]
        visited.append(node)
        candidates |= dict.fromkeys(n for n in scoring.finer(node) if n not in visited)
    return scoring.draw(visited, share, randomness)


@dataclass(frozen=True, slots=True)
class Scoring:
    """The scores of nodes on the whole table; each node is counted once."""

    problem: Problem
    rule: DifferentialPrivacy
    scores: dict[Node, Fraction] = field(default_factory=dict, repr=False)

    @property
    def spare(self) -> int:
        """m: a class of more rows has at least k of them in the sample, as expected."""
        return math.ceil(self.problem.smallest / self.rule.beta) - 1

    def draw(self, nodes: Sequence[Node], epsilon: Fraction, randomness: Randomness) -> Node:
        """One of the nodes, by the exponential mechanism."""
        scores = [self.score(node) for node in nodes]
        return nodes[choose(scores, epsilon, self.detail(self.problem.low), randomness)]

    def score(self, node: Node) -> Fraction:
        if node not in self.scores:
            sizes = self.problem.classes(node).sizes
            self.scores[node] = self.detail(node) * int(np.maximum(0, sizes - self.spare).sum())
        return self.scores[node]

    def detail(self, node: Node) -> Fraction:
        """The share of precision that the levels keep: 1 − Prec loss without suppression."""
        problem = self.problem
        weights = [Fraction(problem.policy.weights.get(name, 1.0)) for name in problem.names]
        kept = Fraction(0)
        for weight, level, table in zip(weights, node, problem.tables, strict=True):
            kept += weight * (1 - Fraction(level, table.height))
        return kept / sum(weights)

    def finer(self, node: Node) -> list[Node]:
        """The nodes that are one level finer in one column."""
        return [
            (*node[:a], node[a] - 1, *node[a + 1 :])
            for a in range(len(node))
            if node[a] > self.problem.low[a]
        ]
