"""False claims at scale: what is false per the oracle is refused, whatever proof comes with it."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from settled_nodes import CONVENTIONS, Node, Settled, settled, some_nodes
from tiny import METRICS, tiny_problems

import lookalike as la
from lookalike.solution.proof import Proof
from lookalike.solution.solution import Solution
from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding

CHUNKS = 4
EACH = 4  # problems a chunk, each with every metric


def findings(one: Settled, metric: str, claim: Solution) -> dict[str, Finding]:
    checked = check_claim(CountedOriginal(one.counts, one.tables, one.policy(metric)), claim)
    return {finding.check: finding for finding in checked}


def proofs(one: Settled, metric: str, true: Solution, rng: random.Random) -> Iterator[Proof]:
    """Every way to come by a proof that is not one."""
    fingerprint = true.proof.fingerprint
    costs, optimum = one.costs(metric), one.optimum(metric)
    not_best = [node for node in one.nodes if costs[node] > optimum + 1e-9]
    yield true.proof
    yield Proof((), fingerprint)
    yield Proof(tuple(not_best), fingerprint)
    yield Proof(tuple(node for node in one.nodes if not one.feasible(node)), fingerprint)
    yield Proof(tuple(some_nodes(one.nodes, rng, most=20)), fingerprint)
    yield Proof(tuple(one.nodes), fingerprint)
    yield Proof(borrowed(one, metric, rng), fingerprint)


def borrowed(one: Settled, metric: str, rng: random.Random) -> tuple[Node, ...]:
    """A true proof of another problem over the same lattice: other rows, same hierarchies."""
    rows = [rng.choice(one.tiny.rows) for _ in one.tiny.rows]
    other = Settled(replace(one.tiny, rows=rows), one.conventions)
    return la.solve(other.problem(metric), by=la.Flash()).proof.nodes


def claimed(one: Settled, metric: str, true: Solution, node: Node) -> Solution:
    """A claim of optimality for a node, with everything else as it really is."""
    cost = one.costs(metric)[node]
    return replace(
        true,
        status=la.OPTIMAL,
        recoding=la.Levels(true_names(one), node),
        cost=cost,
        bound=cost,
        suppressed=one.suppressed[node],
        classes=one.classes(node),
    )


def true_names(one: Settled) -> tuple[str, ...]:
    return one.counts.names


def nothing(true: Solution, status: la.Status, bound: float) -> Solution:
    return replace(
        true, status=status, recoding=None, cost=None, bound=bound, suppressed=0, classes=0
    )


def forge(chunk: int) -> Counter[str]:
    """Refused claims by kind; an accepted false one is an assertion error."""
    refused: Counter[str] = Counter()
    for one, rng in settled(EACH, seed=5000 + chunk, most_nodes=30):
        for metric in METRICS:
            optimum = one.optimum(metric)
            if math.isinf(optimum):
                continue
            true = la.solve(one.problem(metric), by=la.Flash()).expect(la.OPTIMAL)
            assert all(finding.holds for finding in findings(one, metric, true).values())
            worse = [n for n in one.answers if one.costs(metric)[n] > optimum + 1e-6]
            for proof in proofs(one, metric, true, rng):
                _false_infeasible(one, metric, true, proof, refused)
                if worse:
                    node = rng.choice(worse)
                    _false_optimum(one, metric, replace(true, proof=proof), node, refused)
                    _false_bound(one, metric, replace(true, proof=proof), node, refused)
    return refused


def _false_optimum(
    one: Settled, metric: str, true: Solution, node: Node, refused: Counter[str]
) -> None:
    found = findings(one, metric, claimed(one, metric, true, node))
    assert found["cost"].holds  # the cost is its own: only the claim is false
    assert not found["optimality"].holds, (metric, one.tiny, node, true.proof)
    refused["optimal"] += 1


def _false_bound(
    one: Settled, metric: str, true: Solution, node: Node, refused: Counter[str]
) -> None:
    cost, optimum = one.costs(metric)[node], one.optimum(metric)
    bound = optimum + (cost - optimum) / 2
    claim = replace(claimed(one, metric, true, node), status=la.FEASIBLE, bound=bound)
    found = findings(one, metric, claim)
    assert found["cost"].holds
    assert not found["bound"].holds, (metric, one.tiny, node, true.proof)
    refused["bound"] += 1


def _false_infeasible(
    one: Settled, metric: str, true: Solution, proof: Proof, refused: Counter[str]
) -> None:
    none = nothing(replace(true, proof=proof), la.INFEASIBLE, math.inf)
    assert not findings(one, metric, none)["bound"].holds, (metric, one.tiny, proof)
    more = nothing(replace(true, proof=proof), la.UNKNOWN, one.optimum(metric) + 1e-3)
    assert not findings(one, metric, more)["bound"].holds, (metric, one.tiny, proof)
    refused["infeasible"] += 1
    refused["unknown"] += 1


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_false_claim_is_refused(chunk: int) -> None:
    refused = forge(chunk)
    assert min(refused.values()) >= 60, refused
    assert sum(refused.values()) >= 500


def test_the_true_optimum_with_half_a_proof_is_accepted_only_if_that_half_proves_it() -> None:
    """A shortened proof may still be one; with height, what it leaves open is easy to see."""
    refused = accepted = 0
    for one, rng in settled(150, seed=6000):
        true = la.solve(one.problem("height"), by=la.Flash())
        if true.status is not la.OPTIMAL:
            continue
        kept = tuple(node for node in true.proof.nodes if rng.random() < 0.5)
        ruled_out = {
            node
            for node in one.nodes
            for witness in kept
            if node == witness
            or (one.too_many(witness) and all(n <= w for n, w in zip(node, witness, strict=True)))
        }
        proves = all(sum(node) >= true.cost for node in one.nodes if node not in ruled_out)
        claim = replace(true, proof=replace(true.proof, nodes=kept))
        assert findings(one, "height", claim)["optimality"].holds == proves
        refused, accepted = refused + (not proves), accepted + proves
    assert refused > 10
    assert accepted > 10


def test_a_proof_of_infeasibility_is_accepted_and_its_parts_are_not() -> None:
    seen = 0
    for one, _ in settled(400, seed=7000):
        if one.answers:
            continue
        true = la.solve(one.problem("discernibility"), by=la.Flash())
        assert true.status is la.INFEASIBLE
        assert findings(one, "discernibility", true)["bound"].holds
        empty = replace(true, proof=replace(true.proof, nodes=()))
        assert not findings(one, "discernibility", empty)["bound"].holds
        seen += 1
    assert seen > 10


def test_a_proof_that_names_nodes_outside_the_lattice_is_refused() -> None:
    one, _ = next(settled(1, seed=1))
    true = la.solve(one.problem("precision"))
    width = len(one.tables)
    for node in ((99,) * width, (0,) * (width + 1), (-1,) * width, ()):
        claim = replace(true, proof=replace(true.proof, nodes=(*true.proof.nodes, node)))
        assert not findings(one, "precision", claim)["optimality"].holds


def test_a_proof_for_other_counts_is_refused_by_its_fingerprint() -> None:
    one, _ = next(settled(1, seed=2))
    true = la.solve(one.problem("precision"))
    twice = Settled(replace(one.tiny, rows=one.tiny.rows * 2, classes=one.tiny.classes * 2),
                    one.conventions)  # fmt: skip
    other = la.solve(twice.problem("precision")).proof
    assert other.fingerprint != true.proof.fingerprint
    found = findings(one, "precision", replace(true, proof=other))
    assert not found["optimality"].holds
    assert "another table" in found["optimality"].sentence


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("word", CONVENTIONS)
def test_flash_and_mingen_find_the_oracles_optimum_under_every_convention(
    word: str, metric: str
) -> None:
    found = 0
    for tiny in tiny_problems(25, seed=hash_of(word, metric)):
        one = Settled(tiny, CONVENTIONS[word])
        if len(one.nodes) > 60:
            continue
        optimum = one.optimum(metric)
        for algorithm in (la.Flash(), la.MinGen()):
            solution = la.solve(one.problem(metric), by=algorithm)
            if math.isinf(optimum):
                assert solution.status is la.INFEASIBLE
                continue
            assert solution.status is la.OPTIMAL
            assert solution.recoding is not None
            assert one.feasible(solution.recoding.levels)
            assert solution.cost == pytest.approx(optimum, rel=1e-9, abs=1e-9)
            held = findings(one, metric, solution).values()
            assert all(finding.holds for finding in held)
        found += 1
    assert found >= 5


def hash_of(*words: str) -> int:
    """A seed that is the same in every process."""
    return sum(ord(sign) * 31**i for i, sign in enumerate("".join(words))) % 2**31


def test_mingen_lists_every_optimum_that_the_oracle_finds() -> None:
    for one, rng in settled(80, seed=8000):
        metric = rng.choice(list(METRICS))
        if not one.answers:
            continue
        solution = la.solve(one.problem(metric), by=la.MinGen())
        assert solution.recoding is not None
        listed = {solution.recoding.levels, *(other.levels for other in solution.alternatives)}
        costs, optimum = one.costs(metric), one.optimum(metric)
        assert listed == {node for node in one.answers if costs[node] <= optimum + 1e-9}
