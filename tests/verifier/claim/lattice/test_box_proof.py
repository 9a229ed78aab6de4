"""Forged trees of boxes: a claim that is false is refused, however its proof was made."""

import math
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import tiny
from effort import THOROUGH
from verified_claims import refused_claims
from wide_problems import wide_problems

import lookalike as la
from lookalike.events import silent
from lookalike.search.lattice.boxes.clauses import Clauses
from lookalike.search.lattice.boxes.node_counts import NodeCounter
from lookalike.search.lattice.boxes.target_search import TargetSearch
from lookalike.search.run import Run
from lookalike.solution.proof import BoxTree, By, Proof, Step

CHUNKS = 30 if THOROUGH else 4
EACH = 8 if THOROUGH else 2
METRICS = ("loss", "loss-geometric", "entropy", "height", "discernibility", "class-size")


def with_proof(solution, nodes, tokens):
    proof = replace(solution.proof, nodes=tuple(nodes), boxes=BoxTree(np.array(tokens, np.int32)))
    return replace(solution, proof=proof)


def altered(proof, rng, low, high):
    """Proofs with one thing changed: kind, nodes, tokens."""
    nodes, tokens = list(proof.nodes), proof.boxes.tokens.tolist()
    if nodes:
        dropped = rng.randrange(len(nodes))
        yield "node dropped", [*nodes[:dropped], *nodes[dropped + 1 :]], tokens
        at, a = rng.randrange(len(nodes)), rng.randrange(len(low))
        level = rng.randint(low[a], high[a])
        moved = (*nodes[at][:a], level, *nodes[at][a + 1 :])
        yield "node altered", [*nodes[:at], moved, *nodes[at + 1 :]], tokens
        cites = [i for i, token in enumerate(tokens) if token >= 0]
        i = rng.choice(cites)
        yield "citation altered", nodes, [*tokens[:i], rng.randrange(len(nodes)), *tokens[i + 1 :]]
        yield "citation dropped", nodes, [*tokens[:i], *tokens[i + 1 :]]
        yield "all nodes the same", [high] * len(nodes), tokens
    i = rng.randrange(len(tokens))
    yield "cut short", nodes, tokens[:i]
    yield "too long", nodes, [*tokens, Step.CLOSED]
    yield "closed at once", nodes, [Step.CLOSED]
    yield "token altered", nodes, [*tokens[:i], rng.randint(-4, 6), *tokens[i + 1 :]]
    splits = [i for i, token in enumerate(tokens) if token == Step.SPLIT]
    if splits:
        i = rng.choice(splits)
        wrong = [Step.SPLIT, rng.randint(-1, len(low)), rng.randint(-1, 4)]
        yield "split altered", nodes, [*tokens[:i], *wrong, *tokens[i + 3 :]]


def forged_tree(problem, score):
    """What a search would write that takes every node to cost too much: the forger's best try."""

    class Blind(TargetSearch):
        def _check(self, node):
            pass

    run = Run(problem, la.Limits(), silent, 0, bounds_every_node=False)
    search = Blind(run, NodeCounter(problem, run.looked), Clauses(len(problem.names)), score)
    search.prove()
    return search.proof.finish()


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_what_is_false_is_refused_with_every_altered_proof(chunk):
    rng = random.Random(chunk)
    refused = Counter()
    for problem in wide_problems(EACH, seed=6000 + chunk):
        for name in METRICS:
            prepared = tiny.problem(problem, tiny.METRICS[name][0])
            true = la.solve(prepared, la.BranchAndBound())
            assert not refused_claims(prepared, true)
            if true.cost is None or true.proof.boxes is None:
                continue
            higher = true.cost + 1e-6 * max(1.0, abs(true.cost))  # what no rounding explains
            node = worse(prepared, true.cost, rng)
            for kind, nodes, tokens in altered(true.proof, rng, prepared.low, prepared.high):
                forged = with_proof(true, nodes, tokens)
                if refused_claims(prepared, forged):
                    refused[kind] += 1  # else the proof is another true one
                if node is not None:
                    false = claim(prepared, forged, node)
                    assert refused_claims(prepared, false), (kind, name, problem)
                    refused["false"] += 1
            if node is not None:
                score = prepared.costing.score(higher)
                forged = with_proof(true, *trees(forged_tree(prepared, score)))
                assert refused_claims(prepared, claim(prepared, forged, node)), (name, problem)
                raised = replace(claim(prepared, forged, node), status=la.FEASIBLE, bound=higher)
                assert refused_claims(prepared, raised), (name, problem)
                refused["forged tree"] += 2
    for kind in ("node dropped", "cut short", "too long", "closed at once", "split altered"):
        assert refused[kind], refused
    assert refused["false"] > 20 * EACH


def trees(written):
    nodes, boxes = written
    return nodes, boxes.tokens.tolist()


def worse(prepared, cost, rng):
    """A node that meets the policy at a higher cost."""
    spans = zip(prepared.low, prepared.high, strict=True)
    ends = [range(low, high + 1) for low, high in spans]
    for _ in range(50):
        evaluation = prepared.evaluate_node(tuple(rng.choice(levels) for levels in ends))
        if evaluation.meets and evaluation.cost > cost + 1e-5 * max(1.0, abs(cost)):
            return evaluation
    return None


def claim(prepared, true, evaluation):
    """The claim that this node is optimal; everything but that is true."""
    return replace(
        true,
        status=la.OPTIMAL,
        recoding=evaluation.recoding,
        cost=evaluation.cost,
        bound=evaluation.cost,
        suppressed=evaluation.suppressed,
        classes=evaluation.classes,
    )


def test_a_proof_for_another_allowance_or_table_is_refused():
    refused = 0
    for problem in wide_problems(12, seed=9):
        prepared = tiny.problem(problem, la.Loss())
        true = la.solve(prepared, la.BranchAndBound())
        other = tiny.problem(replace(problem, allowance=problem.allowance + 2), la.Loss())
        cheaper = la.solve(other, la.BranchAndBound())
        if true.cost is None or cheaper.cost > true.cost - 1e-6:
            continue
        moved = replace(true, suppressed=true.suppressed)
        assert refused_claims(other, moved)
        unknown = replace(true, proof=replace(true.proof, fingerprint="0" * 64))
        assert refused_claims(prepared, unknown)
        refused += 1
    assert refused > 3


def test_false_infeasibility_is_refused():
    for problem in wide_problems(6, seed=2):
        prepared = tiny.problem(problem, la.Loss())
        true = la.solve(prepared, la.BranchAndBound())
        if true.cost is None:
            continue
        none = replace(
            true, status=la.INFEASIBLE, recoding=None, cost=None, bound=math.inf, suppressed=0,
            classes=0,
        )  # fmt: skip
        assert refused_claims(prepared, none)
        forged = with_proof(none, *trees(forged_tree(prepared, math.inf)))
        assert refused_claims(prepared, forged)


def test_a_tree_that_is_missing_proves_nothing():
    problem = next(wide_problems(1, seed=2))
    prepared = tiny.problem(problem, la.Loss())
    true = la.solve(prepared, la.BranchAndBound())
    bare = replace(true, proof=Proof((), true.proof.fingerprint, By.BOXES))
    assert refused_claims(prepared, bare)
