"""Check the lower bound of a cell-level recoding, by the kind of proof that the solution names."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from lookalike.counts.frequency_set import FrequencySet
from lookalike.solution.proof import By, DualPrices, Proof
from lookalike.solution.solution import Solution
from lookalike.verifier.claim.cells.enumeration_proof import common_step, nothing_cheaper
from lookalike.verifier.claim.cells.nearest_rows import nearest_rows_bound
from lookalike.verifier.claim.cells.support_bound import (
    CellLayout,
    lay_out,
    price_bound,
    prices_by_group,
    support_bound,
)
from lookalike.verifier.claim.claim_findings import bound_check, bound_finding, claimed_bound
from lookalike.verifier.claim.metrics import MarginalCosting, costing_for, prior_bound
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding

MAX_COLUMNS = 14  # whose subsets are all tried


def check_bound(original: CountedOriginal, solution: Solution) -> Finding:
    """Does every cell-level recoding that meets the policy cost at least the bound?"""
    proof = solution.proof
    if not all(map(original.allows, proof.nodes)):
        sentence = "The proof names nodes that are not in the lattice."
        return Finding(bound_check(solution), False, sentence)
    costing = costing_for(original)
    bound = prior_bound(costing, original.low)
    if (
        proof.by not in (By.NODES, By.TREE)
        and original.one_set  # over several sets, k rows need not be alike
        and isinstance(costing, MarginalCosting)
    ):
        layout = lay_out(original, costing)
        if layout.scannable or (layout.nested and proof.by is By.NEAREST_ROWS):
            claimed = claimed_bound(solution)
            bound = max(bound, _lower_bound(original.counts, layout, proof, costing, claimed))
    return bound_finding(original.policy, solution, bound)


def _lower_bound(
    counts: FrequencySet, layout: CellLayout, proof: Proof, costing: MarginalCosting, claimed: float
) -> float:
    """No cell-level recoding costs less than this, as far as the proof shows."""
    rows = max(1, counts.rows)
    if proof.by is By.SUPPORT_BOUND:
        return _geometric_bound(support_bound(layout) / rows, costing)
    if proof.by is By.NEAREST_ROWS:
        return _geometric_bound(_nearest_rows_bound(counts, layout, proof) / rows, costing)
    if not proof.prices or costing.geometric:
        return -math.inf
    first = proof.prices[0]
    per_row = prices_by_group(counts, first)
    if per_row is None or len(first.triples) or len(first.triple_prices):
        return -math.inf
    bound, per_row = price_bound(layout, per_row, first.suppression)
    if proof.by is By.ENUMERATION:
        second = _second_prices(counts, proof)
        if nothing_cheaper(layout, per_row, first.suppression, bound, claimed * rows, second):
            return claimed
    step = common_step(layout)
    if step and math.isfinite(bound):  # costs are whole multiples of it
        bound = max(bound, step * math.ceil(bound / step - 1e-6))
    return bound / rows


def _nearest_rows_bound(counts: FrequencySet, layout: CellLayout, proof: Proof) -> float:
    """The sum of the prices of the proof that are at most what the nearest rows cost."""
    prices = prices_by_group(counts, proof.prices[0]) if len(proof.prices) == 1 else None
    return -math.inf if prices is None else nearest_rows_bound(layout, prices)


def _second_prices(counts: FrequencySet, proof: Proof) -> DualPrices | None:
    """With groups in the order of the counts; None if the proof has none for these groups."""
    if len(proof.prices) != 2:
        return None
    second = proof.prices[1]
    per_row = prices_by_group(counts, second)
    known = (second.triples >= 0) & (second.triples < counts.groups)
    if per_row is None or not known.all():
        return None
    return replace(second, per_row=per_row, triples=counts.canonical()[second.triples])


def _geometric_bound(mean: float, costing: MarginalCosting) -> float:
    """A bound on the weighted mean of losses, turned into one on their geometric mean.

    Σ w log(1 + m) is concave in the columns' mean losses m. So where Σ w m is at least ``mean``, it
    is smallest at a corner: some columns lose everything, one loses the rest, the others nothing.
    """
    if not costing.geometric:
        return mean
    weights = costing.weights[costing.weights > 0]
    if len(weights) > MAX_COLUMNS or mean <= 0:
        return max(0.0, math.expm1(mean * math.log(2)))  # the chord of the curve from 0 to 1
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
