"""Check a proof that names lattice nodes: could any node cost less than the bound that is claimed?

The nodes are counted here: what each costs, how many rows it suppresses, and from that what every
other node costs at least (``cost/metric.py`` has the argument). If some node could cost less than
the claimed bound, the proof is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import reduce

import numpy as np

from lookalike.solution.solution import Solution
from lookalike.verifier.claim.claim_findings import bound_check, bound_finding
from lookalike.verifier.claim.lattice.node_counts import NodeCounter
from lookalike.verifier.claim.metrics import Costing, Floats, costing_for, prior_bound
from lookalike.verifier.counted_original import CountedOriginal, LatticeNode
from lookalike.verifier.finding import Finding

MAX_NODES = 20_000_000  # of a lattice whose bounds are kept, in three arrays


def check_bound(original: CountedOriginal, solution: Solution) -> Finding:
    """Does every node that meets the policy cost at least the bound?"""
    proof = solution.proof
    if not all(map(original.allows, proof.nodes)):
        problem = "The proof names nodes that are not in the lattice."
        return Finding(bound_check(solution), False, problem)
    bound = lower_bound(NodeCounter(original), proof.nodes, costing_for(original))
    return bound_finding(original.policy, solution, bound)


def lower_bound(counter: NodeCounter, nodes: Sequence[LatticeNode], costing: Costing) -> float:
    """No node that meets the policy costs less than this, as far as the counted ``nodes`` show."""
    original = counter.original
    low = original.low
    shape = tuple(high - first + 1 for first, high in zip(low, original.high, strict=True))
    if math.prod(shape) > MAX_NODES:
        return prior_bound(costing, low)
    ranges = list(map(slice, low, (last + 1 for last in original.high)))
    base = _outer(vector[own] for vector, own in zip(costing.prior, ranges, strict=True))
    extra = np.zeros(shape)
    settled = np.zeros(shape, dtype=bool)
    least = math.inf
    for levels in sorted(nodes, key=lambda node: counter.source(node)[0]):
        node = counter.count(levels)
        at = tuple(level - first for level, first in zip(levels, low, strict=True))
        finer = tuple(slice(0, a + 1) for a in at)
        coarser = tuple(slice(a, None) for a in at)
        settled[at] = True  # its own cost is known
        if counter.meets(node):
            least = min(least, costing.cost(node))
        if counter.finer_meet(node):
            vectors = [
                np.where(np.arange(len(vector)) < floor_level, 0.0, vector)[first : level + 1]
                for vector, first, level, floor_level in zip(
                    costing.extra(node), low, levels, node.floor_node, strict=True
                )  # below the floor it is not known what suppressed rows hold
            ]
            extra[finer] = np.maximum(extra[finer], _outer(vectors))
        else:
            settled[finer] = True  # too many rows stand out here, and so at every finer node
        base[coarser] = np.maximum(base[coarser], costing.base(node))
    for levels, rows in original.small_rows.items():
        # with several sets of columns, a row that is alone over all of them is not alone over each
        if original.one_set and original.allows(levels) and not original.may_suppress(rows):
            ends = [level - first + 1 for level, first in zip(levels, low, strict=True)]
            settled[tuple(map(slice, ends))] = True  # more rows stand out at each finer node
    if not settled.all():
        least = min(least, costing.value(float((base + extra)[~settled].min())))
    return least


def _outer(vectors: Iterable[Floats]) -> Floats:
    """For each node, the sum over columns of the value at its level."""
    return np.asarray(reduce(np.add.outer, vectors))
