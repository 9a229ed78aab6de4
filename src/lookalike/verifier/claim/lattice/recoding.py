"""Check a full-domain recoding: does it fit the policy, and does it cost what it claims?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.solution.recoding import Levels, Recoding
from lookalike.solution.solution import Solution
from lookalike.verifier.claim.claim_findings import cost_finding
from lookalike.verifier.claim.lattice.node_counts import NodeCounter
from lookalike.verifier.claim.metrics import costing_for
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding

Whole = NDArray[np.int64]


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


def kept_groups(original: CountedOriginal, recoding: Levels) -> tuple[Whole, Whole]:
    """The groups that are released, and the rows of each."""
    node = NodeCounter(original).count(recoding.levels)
    group = np.flatnonzero(~node.broken[node.of_group])
    return group, original.counts.counts[group]


def released_levels(recoding: Levels, groups: int) -> Whole:
    """(groups, columns) the level at which each column of a released group is shown."""
    return np.tile(np.array(recoding.levels, dtype=np.int64), (groups, 1))
