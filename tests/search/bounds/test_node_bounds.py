"""Bounds kept in blocks equal bounds on all nodes, written out after every count."""

import itertools
import random
from types import SimpleNamespace

import numpy as np
import pytest
from effort import effort

from lookalike.cost.metric import NodeCost
from lookalike.problem.evaluation import NodeFacts
from lookalike.search.bounds import node_bounds
from lookalike.search.bounds.node_bounds import Climb, Lattice

CASES = effort(1_600)
CHUNKS = 4


class Plain:
    """The score of every node; each count looks at all of them."""

    def __init__(self, low, high, prior):
        self.low, self.high = low, high
        levels = (range(a, b + 1) for a, b in zip(low, high, strict=True))
        self.nodes = list(itertools.product(*levels))
        self.base = {node: sum(prior[a][i] for a, i in enumerate(node)) for node in self.nodes}
        self.extra = dict.fromkeys(self.nodes, 0.0)
        self.counted = set()

    def learn(self, evaluation):
        at, facts = evaluation.levels, evaluation.node
        self.counted.add(at)
        for node in self.nodes:
            if all(a <= b for a, b in zip(node, at, strict=True)):
                more = sum(facts.cost.extra[a][i] for a, i in enumerate(node)) * (facts.lost > 0)
                self.extra[node] = max(self.extra[node], more if facts.finer_meet else np.inf)
            if all(a >= b for a, b in zip(node, at, strict=True)):
                self.base[node] = max(self.base[node], facts.cost.base)

    def score(self, node):
        return np.inf if node in self.counted else self.base[node] + self.extra[node]

    def open_node(self, cost, climb):
        chosen = min(self.nodes, key=self.score)  # the first of equals
        if not self.score(chosen) < cost:
            return None
        while climb is not Climb.NOT:
            above = [self._up(chosen, a) for a in range(len(chosen)) if chosen[a] < self.high[a]]
            above = [node for node in above if self.score(node) < cost]
            if not above:
                break
            chosen = (max if climb is Climb.STEEP else min)(above, key=self.score)
        return chosen

    def _up(self, node, a):
        return (*node[:a], node[a] + 1, *node[a + 1 :])


def a_count(rng, plain, levels):
    """A counted node that rules out finer nodes, or raises bounds, or says nothing.

    Bounds are whole numbers, so that sums do not round and many are equal.
    """
    extra = np.array([[rng.randint(-1, 3) for _ in range(levels)] for _ in plain.low], dtype=float)
    cost = NodeCost(0.0, rng.choice([-np.inf, rng.randint(0, 12)]), extra)
    facts = NodeFacts(rng.random() < 0.7, cost, rng.randint(0, 1))
    return SimpleNamespace(levels=rng.choice(plain.nodes), node=facts)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_blocks_give_what_writing_every_node_gives(chunk, monkeypatch):
    rng = random.Random(chunk)
    for _ in range(CASES // CHUNKS):
        monkeypatch.setattr(node_bounds, "BLOCK_NODES", rng.choice([1, 2, 5, 1000]))
        low = tuple(rng.choice([0, 0, 1]) for _ in range(rng.randint(1, 4)))
        high = tuple(a + rng.randint(0, 3) for a in low)
        levels = max(high) + 1 + rng.randint(0, 1)
        prior = np.array([[rng.randint(0, 4) for _ in range(levels)] for _ in low], dtype=float)
        costing = SimpleNamespace(prior=prior, score=float, value=float)
        lattice = Lattice(SimpleNamespace(low=low, high=high, costing=costing))
        plain = Plain(low, high, prior)
        for _ in range(rng.randint(0, 12)):
            count = a_count(rng, plain, levels)
            lattice.learn(count)
            plain.learn(count)
            if rng.random() < 0.5:  # otherwise several counts are read at once
                continue
            climb, cost = rng.choice(list(Climb)), rng.choice([np.inf, rng.randint(0, 15)])
            limit = lattice.limit(cost)
            index, node = lattice.open_node(cost, climb), plain.open_node(limit, climb)
            assert (None if index is None else lattice.levels(index)) == node
            least = min(map(plain.score, plain.nodes))
            assert lattice.bound(cost) == (least if least < limit else cost)
        if rng.random() < 0.5:
            assert [lattice.score(i) for i in range(len(plain.nodes))] == [
                plain.score(lattice.levels(i)) for i in range(len(plain.nodes))
            ]
