"""The bound that a proof at cell level gives, for the mean row, by the kind it names."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from lookalike.counts.frequency_set import FrequencySet
from lookalike.solution.proof import By, Charges, Proof
from lookalike.verifier.claim.cells.enumeration_proof import nothing_cheaper, unit
from lookalike.verifier.claim.cells.support_bound import (
    CellGround,
    charged_bound,
    in_order_of_counts,
    supported_bound,
)
from lookalike.verifier.claim.metrics import CellByCell

FEW = 14  # columns whose subsets are all tried


def least_by_cell(
    counts: FrequencySet, ground: CellGround, proof: Proof, measure: CellByCell, claimed: float
) -> float:
    """No cell-level recoding costs less than this."""
    rows = max(1, counts.rows)
    if proof.by is By.SUPPORTED:
        return _geometric(supported_bound(ground) / rows, measure)
    if not proof.charges or measure.geometric:
        return -math.inf
    first = proof.charges[0]
    each = in_order_of_counts(counts, first)
    if each is None or len(first.threes) or len(first.more):
        return -math.inf
    bound, each = charged_bound(ground, each, first.out)
    if proof.by is By.EXHAUSTED:
        second = _second(counts, proof)
        if nothing_cheaper(ground, each, first.out, bound, claimed * rows, second):
            return claimed
    step = unit(ground)
    if step and math.isfinite(bound):  # costs are whole multiples of it
        bound = max(bound, step * math.ceil(bound / step - 1e-6))
    return bound / rows


def _second(counts: FrequencySet, proof: Proof) -> Charges | None:
    if len(proof.charges) != 2:
        return None
    second = proof.charges[1]
    each = in_order_of_counts(counts, second)
    known = (second.threes >= 0) & (second.threes < counts.groups)
    if each is None or not known.all():
        return None
    return replace(second, each=each, threes=counts.canonical()[second.threes])


def _geometric(mean: float, measure: CellByCell) -> float:
    """What a cost of ``mean`` is at least when the columns' losses are multiplied instead.

    Σ w log(1 + m) is concave in the columns' mean losses m, so where Σ w m is at least so much, it
    is least at a corner: some columns lose all, one loses the rest, the others nothing.
    """
    if not measure.geometric:
        return mean
    weights = measure.weights[measure.weights > 0]
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
