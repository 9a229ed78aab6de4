"""The law that every claim rests on: a bound, from whatever nodes, is never above the optimum.

Both sides are tried against the oracle, which looks at every node: the verifier's bound on the
whole lattice, and the search's bound on each single node.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from effort import effort
from settled_nodes import Settled, at_most, settled, some_nodes
from tiny import METRICS

from lookalike.search.bounds.node_bounds import Lattice
from lookalike.verifier.claim.lattice.node_counts import NodeCounter
from lookalike.verifier.claim.lattice.node_proof import lower_bound
from lookalike.verifier.claim.metrics import CountedNode, costing_for

PROBLEMS = effort(1_280)
CHUNKS = 8


def least_cost(one: Settled, metric: str, nodes: list[tuple[int, ...]]) -> float:
    original = one.original(metric)
    return lower_bound(NodeCounter(original), nodes, costing_for(original))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_proof_shows_more_than_the_optimum_and_a_full_one_shows_just_that(chunk: int) -> None:
    tried = 0
    for one, rng in settled(PROBLEMS // CHUNKS, seed=1000 + chunk):
        for metric in METRICS:
            optimum = one.optimum(metric)
            for most in (3, 8):
                nodes = some_nodes(one.nodes, rng, most)
                least = least_cost(one, metric, nodes)
                assert at_most(least, optimum), (metric, one.tiny, nodes, least, optimum)
                tried += 1
        metric = rng.choice(list(METRICS))
        least, optimum = least_cost(one, metric, one.nodes), one.optimum(metric)
        assert math.isclose(least, optimum, rel_tol=1e-9, abs_tol=1e-9) or least == optimum
    assert tried == PROBLEMS // CHUNKS * len(METRICS) * 2


class AllButOne(NodeCounter):
    """Sees the bound of the one node that a proof leaves open: no other may be released."""

    def meets(self, node: CountedNode) -> bool:
        return False


@pytest.mark.parametrize("chunk", range(4))
def test_with_every_other_node_counted_the_bound_of_the_last_is_not_above_its_cost(
    chunk: int,
) -> None:
    """The tightest bound that any proof gives a node: the law above sees only the cheapest."""
    for one, rng in settled(25, seed=9000 + chunk, most_nodes=30):
        for metric in METRICS:
            original = one.original(metric)
            blind, costing = AllButOne(original), costing_for(original)
            for last in rng.sample(one.nodes, min(3, len(one.nodes))):
                others = [node for node in one.nodes if node != last]
                bound = lower_bound(blind, others, costing)
                if math.isinf(bound):
                    assert one.too_many(last)
                else:
                    assert at_most(bound, one.costs(metric)[last]), (metric, one.tiny, last)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_what_the_search_learns_is_true_of_every_node(chunk: int) -> None:
    for one, rng in settled(PROBLEMS // CHUNKS, seed=2000 + chunk):
        for metric in METRICS:
            problem = one.problem(metric)
            lattice = Lattice(problem)
            counted = some_nodes(one.nodes, rng)
            for node in counted:
                lattice.learn(problem.evaluate_node(node))
            costs = one.costs(metric)
            for index in range(len(one.nodes)):
                node, score = lattice.levels(index), lattice.score(index)
                if score == float("inf"):
                    assert node in counted or one.too_many(node), (metric, one.tiny, node)
                else:
                    bound = problem.costing.value(score)
                    assert at_most(bound, costs[node]), (metric, one.tiny, node)
            best = min(_released(one, metric, counted), default=float("inf"))
            assert at_most(lattice.bound(best), one.optimum(metric))


def _released(one: Settled, metric: str, counted: list[tuple[int, ...]]) -> list[float]:
    return [one.costs(metric)[node] for node in counted if one.feasible(node)]


@pytest.mark.parametrize("chunk", range(4))
def test_search_verifier_and_oracle_agree_on_every_node(chunk: int) -> None:
    for one, rng in settled(40, seed=3000 + chunk):
        metric = rng.choice(list(METRICS))
        problem, original = one.problem(metric), one.original(metric)
        counter, costing = NodeCounter(original), costing_for(original)
        for node in one.nodes:
            found, seen = problem.evaluate_node(node), counter.count(node)
            assert found.suppressed == seen.suppressed == one.suppressed[node]
            assert found.meets == counter.meets(seen) == one.feasible(node)
            assert (
                found.node.finer_meet
                == original.may_suppress(seen.suppressed)
                == (not one.too_many(node))
            )
            assert found.classes == one.classes(node)
            cost = one.costs(metric)[node]
            assert math.isclose(costing.cost(seen), cost, rel_tol=1e-9, abs_tol=1e-9)
            if found.node.finer_meet:
                assert math.isclose(found.cost, cost, rel_tol=1e-9, abs_tol=1e-9)


def test_scores_and_costs_rise_together() -> None:
    """The search prunes by scores: a node below the cost must be below the score, and back."""
    for one, rng in settled(30, seed=4000):
        for metric in METRICS:
            costing = one.problem(metric).costing
            costs = sorted(one.costs(metric).values())
            cost = rng.choice(costs)
            limit = costing.score(cost)
            scores = np.linspace(limit - 5, limit + 5, 41)
            values = np.array([costing.value(score) for score in scores.tolist()])
            assert (np.diff(values) >= 0).all()
            cheaper = values < cost - 1e-9 * max(1.0, abs(cost))
            assert (scores[cheaper] < limit).all()
