"""The bound that a proof at cell level gives, for the mean row, by the kind it names."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from lookalike.counts.frequency_set import FrequencySet
from lookalike.solution.proof import By, DualPrices, Proof
from lookalike.solution.solution import Solution
from lookalike.verifier.claim.cells.enumeration_proof import nothing_cheaper, unit
from lookalike.verifier.claim.cells.support_bound import (
    CellGround,
    cell_ground,
    dual_bound,
    prices_by_group,
    support_bound,
)
from lookalike.verifier.claim.claim_findings import bound_check, bound_finding, claimed_bound
from lookalike.verifier.claim.metrics import MarginalCosting, costing_for, prior_bound
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import ANOTHER_TABLE, Finding

FEW = 14  # columns whose subsets are all tried


def check_bound(original: CountedOriginal, solution: Solution) -> Finding:
    """Does every cell-level recoding that meets the policy cost at least the bound?"""
    proof = solution.proof
    if proof.fingerprint != original.counts.fingerprint():
        return Finding(bound_check(solution), False, ANOTHER_TABLE)
    if not all(map(original.allows, proof.nodes)):
        problem = "The proof names nodes that are not in the lattice."
        return Finding(bound_check(solution), False, problem)
    costing = costing_for(original)
    bound = prior_bound(costing, original.low)
    if (
        proof.by not in (By.NODES, By.TREE)
        and original.one_set  # k rows need not share several sets
        and isinstance(costing, MarginalCosting)
    ):
        ground = cell_ground(original, costing)
        if ground.scannable:
            claimed = claimed_bound(solution)
            bound = max(bound, least_by_cell(original.counts, ground, proof, costing, claimed))
    return bound_finding(original.policy, solution, bound)


def least_by_cell(
    counts: FrequencySet, ground: CellGround, proof: Proof, costing: MarginalCosting, claimed: float
) -> float:
    """No cell-level recoding costs less than this."""
    rows = max(1, counts.rows)
    if proof.by is By.SUPPORT_BOUND:
        return _geometric(support_bound(ground) / rows, costing)
    if not proof.prices or costing.geometric:
        return -math.inf
    first = proof.prices[0]
    per_row = prices_by_group(counts, first)
    if per_row is None or len(first.triples) or len(first.triple_prices):
        return -math.inf
    bound, per_row = dual_bound(ground, per_row, first.suppression)
    if proof.by is By.ENUMERATION:
        second = _second_prices(counts, proof)
        if nothing_cheaper(ground, per_row, first.suppression, bound, claimed * rows, second):
            return claimed
    step = unit(ground)
    if step and math.isfinite(bound):  # costs are whole multiples of it
        bound = max(bound, step * math.ceil(bound / step - 1e-6))
    return bound / rows


def _second_prices(counts: FrequencySet, proof: Proof) -> DualPrices | None:
    if len(proof.prices) != 2:
        return None
    second = proof.prices[1]
    per_row = prices_by_group(counts, second)
    known = (second.triples >= 0) & (second.triples < counts.groups)
    if per_row is None or not known.all():
        return None
    return replace(second, per_row=per_row, triples=counts.canonical()[second.triples])


def _geometric(mean: float, costing: MarginalCosting) -> float:
    """What a cost of ``mean`` is at least when the columns' losses are multiplied instead.

    Σ w log(1 + m) is concave in the columns' mean losses m, so where Σ w m is at least so much, it
    is least at a corner: some columns lose all, one loses the rest, the others nothing.
    """
    if not costing.geometric:
        return mean
    weights = costing.weights[costing.weights > 0]
    if len(weights) > FEW or mean <= 0:
        return max(0.0, math.expm1(mean * math.log(2)))  # the concave curve's chord from 0 to 1
    least = math.inf
    for subset in range(1 << len(weights)):
        full = np.array([subset >> a & 1 for a in range(len(weights))], dtype=np.bool_)
        mass = float(weights[full].sum())
        if mass > mean + 1e-12:
            continue
        score = mass * math.log(2)
        rest = mean - mass
        for weight in weights[~full].tolist():
            if rest <= weight + 1e-12:
                least = min(least, score + weight * math.log1p(max(0.0, rest) / weight))
        if rest <= 1e-12:
            least = min(least, score)
    return math.expm1(least) if math.isfinite(least) else 0.0
