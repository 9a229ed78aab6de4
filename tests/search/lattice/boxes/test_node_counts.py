"""Counting by masks of words agrees with the problem's own counting, at every node of a box."""

import itertools
import math
import random

import tiny
from effort import effort
from wide_problems import wide_problems

import lookalike as la
from lookalike.search.lattice.boxes.node_counts import NodeCounter


def test_rows_and_costs_are_those_of_the_problem():
    rng = random.Random(1)
    for problem in wide_problems(effort(80), seed=21):
        prepared = tiny.problem(problem, rng.choice([la.Loss(), la.Precision(), la.Entropy()]))
        low, high = two_ends(prepared, rng)
        counter = NodeCounter(prepared, lambda: None)
        tuples = counter.between(low, high, counter.ground)
        tuples = counter.between(low, high, counter.collapse(low, tuples))  # twice refined
        for node in itertools.product(*map(range, low, (top + 1 for top in high))):
            evaluation = prepared.evaluate_node(node)
            assert counter.small_rows(node, tuples) == evaluation.suppressed
            assert counter.breaks(node, tuples) is not evaluation.node.finer_meet
            cost = counter.cost(node, tuples)
            if evaluation.meets:
                assert math.isclose(cost, evaluation.cost)
            else:
                assert math.isinf(cost)


def two_ends(prepared, rng):
    """Two nodes, one at or below the other."""
    spans = zip(prepared.low, prepared.high, strict=True)
    pairs = [sorted(rng.randint(low, high) for _ in range(2)) for low, high in spans]
    return tuple(low for low, _ in pairs), tuple(high for _, high in pairs)
