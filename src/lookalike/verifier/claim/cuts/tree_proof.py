"""Check the lower bound of a recoding by cuts: could any other cost less than is claimed?

A claim that comes with a tree is checked by walking the tree (``docs/explanation/cut-proofs.md``).
Without one, a bound is accepted only if the metric alone shows it, with nothing counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
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
from lookalike.verifier.claim.cuts.tree_layout import NoProof, lay_out, whole_bound
from lookalike.verifier.claim.metrics import costing_for, prior_bound
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding
from lookalike.verifier.supplied_definitions import builtin_name

MAX_ROWS = 2**31 - 1  # so that their square is below NO_RECODING
MAX_PLACES = 4_096  # of the long column
MAX_COUNTS = 1 << 28  # numbers in memory
TOO_LARGE = "the table is too large for it to be checked"


def check_bound(original: CountedOriginal, solution: Solution) -> Finding:
    """Does every recoding by cuts that meets the policy cost at least the bound?"""
    tree = solution.proof.tree
    if tree is None:
        bound = prior_bound(costing_for(original), original.low)
        return bound_finding(original.policy, solution, bound)
    try:
        ends = _check_tree(original, tree, less_rounding(claimed_bound(solution)))
    except NoProof as step:
        return refuted_bound(solution, str(step))
    sentence = f"{solution.claim()} Ends of the tree checked: {ends:,}."
    return Finding(bound_check(solution), True, sentence)


def _check_tree(original: CountedOriginal, tree: CutTree, claimed: float) -> int:
    """The ends of a tree that shows that nothing costs less than claimed; raises NoProof."""
    from lookalike.verifier.claim.cuts.loss.tree_walk import LossWalk
    from lookalike.verifier.claim.cuts.tree_walk import TreeWalk

    _check_columns(original, tree)
    counts, policy, rows = original.counts, original.policy, original.counts.rows
    long = counts.names.index(tree.long)
    by_row = builtin_name(policy.metric) in ("entropy", "loss")
    labels = None if by_row else _labels(counts, policy)
    planes = 1 if labels is None else 1 + labels.shape[1]
    places = original.tables[long].leaves + 1
    if rows > MAX_ROWS or places > MAX_PLACES or counts.groups * planes * places > MAX_COUNTS:
        raise NoProof(TOO_LARGE)
    if rows == 0:
        raise NoProof("there are no rows to cut")
    marks: list[int] = tree.marks.tolist()
    if by_row:
        if max(table.leaves for table in original.tables) >= MAX_PLACES:
            raise NoProof(TOO_LARGE)
        return LossWalk(original, long, claimed).check(marks)
    by_label, limit = labels is not None, min(policy.allowance(rows), rows - 1)
    bound = whole_bound(claimed, rows if by_label else rows * rows)
    table = lay_out(original, long, labels)
    return TreeWalk(table, policy.smallest, rows, limit, bound, by_label=by_label).check(marks)


def _check_columns(original: CountedOriginal, tree: CutTree) -> None:
    """Is it a tree over columns that can be cut, as the rules take them?"""
    if tree.long not in original.counts.names:
        raise NoProof("the table does not have its long column")
    marks = np.asarray(tree.marks)
    if marks.ndim != 1 or not np.issubdtype(marks.dtype, np.integer):
        raise NoProof("it has unknown marks")
    model = original.policy.model
    if not original.one_set or (model is not None and model.generalize != "attribute"):
        raise NoProof("its rules are not for this policy")
    for table, high in zip(original.tables, original.high, strict=True):
        if table.order is None and table.leaves > 2:
            raise NoProof(f"the values of {table.name} have no order to cut")
        if high > table.height:
            raise NoProof(f"{table.name} does not have the levels that the policy allows")


def _labels(counts: FrequencySet, policy: Policy) -> NDArray[np.int64] | None:
    """(groups, labels) for CM, None for DM: the rules are for these metrics only."""
    name, column = builtin_name(policy.metric), policy.metric.class_column or ""
    if name == "discernibility":
        return None
    if name == "classification" and column in counts.sensitive:
        return counts.sensitive[column].dense(counts.groups)
    raise NoProof(f"its rules are not for {policy.metric.name}")
