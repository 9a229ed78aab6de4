"""Check a full-domain recoding: does it fit the policy, and does it cost what it claims?"""

from __future__ import annotations

from lookalike.solution.recoding import Levels, Recoding
from lookalike.solution.solution import Solution
from lookalike.verifier.claim.claim_findings import cost_finding
from lookalike.verifier.claim.lattice.node_counts import NodeCounter
from lookalike.verifier.claim.metrics import costing_for
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding


def check_fit(original: CountedOriginal, recoding: Recoding) -> Finding | None:
    """Why this is not a node of these hierarchies; None if it is."""
    assert isinstance(recoding, Levels)
    heights = [table.height for table in original.tables]
    if any(level > height for level, height in zip(recoding.levels, heights, strict=True)):
        return Finding("solution", False, "The recoding names levels that no hierarchy has.")
    return None


def check_cost(original: CountedOriginal, solution: Solution) -> Finding:
    """Cost, suppressed rows, classes and requirement, recomputed from the original's counts."""
    assert isinstance(solution.recoding, Levels)
    if not original.allows(solution.recoding.levels):
        return Finding("cost", False, "The recoding is outside the levels the policy allows.")
    counter = NodeCounter(original)
    node = counter.count(solution.recoding.levels)
    return cost_finding(
        original.policy,
        solution,
        costing_for(original).cost(node),
        node.suppressed,
        int((~node.broken).sum()),
        meets=counter.meets(node),
    )
