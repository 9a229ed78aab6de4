"""Re-check the bound of a recoding by cuts: could any other cost less than is claimed?

A claim that comes with a tree is checked by walking the tree (``docs/explanation/cut-proofs.md``).
Without one, a bound is accepted only if the metric alone shows it, with nothing counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.classification import Classification
from lookalike.cost.discernibility import Discernibility
from lookalike.cost.entropy import Entropy
from lookalike.cost.loss import Loss
from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy
from lookalike.solution.proof import CutTree
from lookalike.solution.solution import Solution
from lookalike.verifier.claim.claim_findings import (
    bound_check,
    bound_finding,
    claimed_bound,
    less_rounding,
    refuted_bound,
)
from lookalike.verifier.claim.cuts.tree_layout import NOTHING, NoProof, ground
from lookalike.verifier.claim.metrics import costing_for, prior_bound
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import ANOTHER_TABLE, Finding

MOST_ROWS = 2**31 - 1  # so that their square is under NOTHING
MOST_PLACES = 4_096  # of the long column
MOST_COUNTS = 1 << 28  # numbers in memory


def check_bound(original: CountedOriginal, solution: Solution) -> Finding:
    """Does every recoding by cuts that meets the policy cost at least the bound?"""
    counts, tables, policy = original.counts, original.tables, original.policy
    if solution.proof.fingerprint != counts.fingerprint():
        return Finding(bound_check(solution), False, ANOTHER_TABLE)
    tree = solution.proof.tree
    if tree is None:
        bound = prior_bound(costing_for(original), original.low)
        return bound_finding(original.policy, solution, bound)
    try:
        claimed = less_rounding(claimed_bound(solution))
        ends = _walked(counts, tables, policy, tree, claimed)
    except NoProof as step:
        return refuted_bound(solution, str(step))
    sentence = f"{solution.claim()} Ends of the tree checked: {ends:,}."
    return Finding(bound_check(solution), True, sentence)


def _walked(
    counts: FrequencySet,
    tables: Sequence[LevelTable],
    policy: Policy,
    tree: CutTree,
    claimed: float,
) -> int:
    """The ends of a tree that shows that nothing costs less than claimed; raises NoProof."""
    from lookalike.verifier.claim.cuts.tree_walk import Ask, Walk

    marks = np.asarray(tree.marks)
    if tree.long not in counts.names:
        raise NoProof("its long column is not there")
    if marks.ndim != 1 or not np.issubdtype(marks.dtype, np.integer):
        raise NoProof("it has marks without a meaning")
    by_column = policy.model is None or policy.model.generalize == "attribute"
    if not by_column or policy.sets != (policy.names,):
        raise NoProof("its rules are not for this policy")
    for table in tables:
        if table.order is None and table.leaves > 2:
            raise NoProof(f"the values of {table.name} have no order to cut")
        if policy.level_bounds(table.name, table.height)[1] > table.height:
            raise NoProof(f"{table.name} has no such levels as the policy allows")
    long = counts.names.index(tree.long)
    by_row = _by_row(policy)
    labels = None if by_row else _labels(counts, policy)
    kinds = 1 if labels is None else 1 + labels.shape[1]
    places, rows = tables[long].leaves + 1, counts.rows
    room = counts.groups * kinds * places
    if rows > MOST_ROWS or places > MOST_PLACES or room > MOST_COUNTS:
        raise NoProof("the table is too large for it to be checked")
    if rows == 0:
        raise NoProof("there are no rows to cut")
    if by_row:
        return _walked_by_row(counts, tables, policy, tree, claimed)
    ask = Ask(
        k=policy.smallest,
        rows=rows,
        limit=min(policy.allowance(rows), rows - 1),
        by_label=labels is not None,
        bound=_whole(claimed, rows if labels is not None else rows * rows),
    )
    return Walk(ground(counts, tables, policy, long, labels), ask).over(marks.tolist())


def _walked_by_row(
    counts: FrequencySet,
    tables: Sequence[LevelTable],
    policy: Policy,
    tree: CutTree,
    claimed: float,
) -> int:
    """The same for the metrics that add up row by row."""
    from lookalike.verifier.claim.cuts.loss.tree_walk import LossWalk

    if max(table.leaves for table in tables) >= MOST_PLACES:
        raise NoProof("the table is too large for it to be checked")
    long = counts.names.index(tree.long)
    return LossWalk(counts, tables, policy, long, claimed).over(tree.marks.tolist())


def _by_row(policy: Policy) -> bool:
    match policy.metric:
        case Loss(aggregate) if aggregate == "mean":
            return True
        case Entropy():
            return True
        case _:
            return False


def _labels(counts: FrequencySet, policy: Policy) -> NDArray[np.int64] | None:
    """(groups, labels) for CM, None for DM: the metrics for which the rules are."""
    match policy.metric:
        case Discernibility():
            return None
        case Classification(column) if column in counts.sensitive:
            return counts.sensitive[column].dense(counts.groups)
        case _:
            raise NoProof(f"its rules are not for {policy.metric.name}")


def _whole(claimed: float, most: int) -> int:
    """Costs are whole numbers; above the most that a recoding can cost, there is none."""
    if claimed <= 0:
        return 0
    return NOTHING if claimed > most else math.ceil(claimed)
