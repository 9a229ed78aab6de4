"""Tiny problems settled by the oracle: every node's feasibility and its cost under every metric."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import oracle
import tiny as tinies

import lookalike as la
from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.problem.prepare import tabulate
from lookalike.problem.problem import Problem
from lookalike.verifier.counted_original import CountedOriginal

Node = tuple[int, ...]

MOST_NODES = 60  # larger lattices cost the oracle seconds and show nothing new
CLOSE = 1e-9

CONVENTIONS = {
    "drop": la.Conventions(),
    "star, own": la.Conventions(suppressed="star", stars="own"),
    "star, wildcard": la.Conventions(suppressed="star", stars="wildcard"),
    "drop, wildcard": la.Conventions(suppressed="drop", stars="wildcard"),
}


@dataclass
class Settled:
    """One problem under one convention, with what the oracle knows of it."""

    tiny: oracle.TinyProblem
    conventions: la.Conventions
    counts: FrequencySet = field(init=False)
    tables: list[LevelTable] = field(init=False)
    nodes: list[Node] = field(init=False)
    suppressed: dict[Node, int] = field(init=False)
    _costs: dict[str, dict[Node, float]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        tiny = self.tiny
        self.counts = tinies.counts(tiny)
        self.tables, faults = tabulate(self.policy("precision"), self.counts)
        assert not faults
        self.nodes = oracle.all_nodes(tiny.hierarchies, tiny.low, tiny.high)
        self.suppressed = {
            node: len(oracle.suppressed(tiny.rows, tiny.hierarchies, node, tiny.k))
            for node in self.nodes
        }

    def policy(self, metric: str) -> la.Policy:
        return tinies.policy(self.tiny, tinies.METRICS[metric][0], self.conventions)

    def problem(self, metric: str) -> Problem:
        return Problem(self.policy(metric), self.counts, self.tables)

    def original(self, metric: str) -> CountedOriginal:
        return CountedOriginal(self.counts, self.tables, self.policy(metric))

    def costs(self, metric: str) -> dict[Node, float]:
        """What every node costs, released or not."""
        if metric not in self._costs:
            cost: Any = tinies.METRICS[metric][1]
            self._costs[metric] = {node: float(self.tiny.cost(cost, node)) for node in self.nodes}
        return self._costs[metric]

    def too_many(self, node: Node) -> bool:
        return not self.tiny.feasible(node)

    def feasible(self, node: Node) -> bool:
        """The rule in the docstring of ``Conventions``, word for word."""
        if self.too_many(node):
            return False
        if self.conventions.suppressed == "star" and self.conventions.stars == "own":
            return not 0 < self.suppressed[node] < self.tiny.k
        return True

    @property
    def answers(self) -> list[Node]:
        return [node for node in self.nodes if self.feasible(node)]

    def optimum(self, metric: str) -> float:
        """The least cost of any node that may be released, infinite if there is none."""
        costs = self.costs(metric)
        return min((costs[node] for node in self.answers), default=math.inf)

    def classes(self, node: Node) -> int:
        tiny = self.tiny
        return len(oracle.kept_classes(tiny.rows, tiny.hierarchies, node, tiny.k))


def settled(
    count: int, seed: int, most_nodes: int = MOST_NODES
) -> Iterator[tuple[Settled, random.Random]]:
    """Problems of a size that the oracle can settle, the conventions taking turns."""
    rng = random.Random(seed)
    words = list(CONVENTIONS.values())
    made = 0
    for tiny in tinies.tiny_problems(100 * count, seed):
        if len(oracle.all_nodes(tiny.hierarchies, tiny.low, tiny.high)) > most_nodes:
            continue
        yield Settled(tiny, words[made % len(words)]), rng
        made += 1
        if made == count:
            return


def some_nodes(nodes: list[Node], rng: random.Random, most: int = 8) -> list[Node]:
    """A random few, in random order, none of them at times."""
    return rng.sample(nodes, rng.randint(0, min(most, len(nodes))))


def at_most(value: float, limit: float) -> bool:
    """Up to the rounding of floats."""
    return value <= limit + CLOSE * max(1.0, abs(limit)) if math.isfinite(limit) else True
