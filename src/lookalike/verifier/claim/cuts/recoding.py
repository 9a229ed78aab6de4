"""Check a recoding by cuts: does it fit the table and the policy, and does it cost what it claims?

Classes are counted here by intervals, with the verifier's own formulas.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy
from lookalike.solution.interval_labels import shown_column
from lookalike.solution.recoding import Cuts, Recoding, ShownColumn
from lookalike.solution.solution import Solution, Status
from lookalike.verifier.claim.claim_findings import cost_finding
from lookalike.verifier.claim.cuts.metrics import cost_of_cuts, members_of
from lookalike.verifier.claim.group_classes import Whole, alike, in_small_classes
from lookalike.verifier.claim.metrics import CountedNode
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding
from lookalike.verifier.labels.interval_truth import Reader


def check_fit(original: CountedOriginal, recoding: Recoding) -> Finding | None:
    """Why the cuts do not cut the table within the policy; None if they do."""
    assert isinstance(recoding, Cuts)
    policy = original.policy

    def wrong(sentence: str) -> Finding:
        return Finding("solution", False, sentence)

    if policy.model is not None:
        return wrong(f"Cuts do not follow model {policy.model.name}.")
    for table, cuts in zip(original.tables, recoding.cuts, strict=True):
        if cuts and cuts[-1] >= max(1, table.leaves):
            return wrong(f"{table.name} is cut where it has no values.")
        if table.order is None and table.leaves > 2:
            return wrong(f"The values of {table.name} have no order to cut.")
        low, high = policy.level_bounds(table.name, table.height)
        of = intervals(table, cuts)
        fine, coarse = table.codes[:, low], table.codes[:, high]
        if _several(of, fine) or _several(coarse, of):
            return wrong(f"{table.name} is recoded outside the levels that the policy allows.")
        if policy.conventions.cuts == "siblings" and not _siblings(table, of):
            return wrong(f"{table.name} has an interval with only a part of a group.")
    return None


def intervals(table: LevelTable, cuts: Sequence[int]) -> Whole:
    """(leaves,) the interval of each value: one more after each cut."""
    steps = np.zeros(table.leaves, dtype=np.int64)
    steps[list(cuts)] = 1
    of = np.empty(table.leaves, dtype=np.int64)
    of[np.arange(table.leaves) if table.order is None else table.order] = np.cumsum(steps)
    return of


def _several(of: NDArray[np.integer], groups: NDArray[np.integer]) -> bool:
    """Does some group have members with different numbers?"""
    pairs = set(zip(groups.tolist(), of.tolist(), strict=True))
    return len(pairs) > len({group for group, _ in pairs})


def _siblings(table: LevelTable, of: Whole) -> bool:
    """Is every interval one value, or whole members of the smallest group that holds it?"""
    held = [np.bincount(codes).tolist() for codes in table.codes.T]  # a level: values a group
    for leaves in members_of(of):
        groups = [set(codes) for codes in table.codes[leaves].T.tolist()]
        level = [len(codes) for codes in groups].index(1)
        if level and sum(held[level - 1][code] for code in groups[level - 1]) != len(leaves):
            return False
    return True


def shown_columns(original: CountedOriginal, recoding: Cuts) -> list[ShownColumn]:
    """What each column shows. Shared code makes the labels; the verifier's own code reads them."""
    policy = original.policy
    return [
        shown_column(
            table,
            original.counts.values[a],
            policy.hierarchies[table.name],
            recoding.cuts[a],
            policy.level_bounds(table.name, table.height),
        )
        for a, table in enumerate(original.tables)
    ]


def false_labels(original: CountedOriginal, recoding: Cuts) -> int:
    """Values with a label that is not true of them, or true of values outside the interval."""
    wrong = 0
    columns = shown_columns(original, recoding)
    for a, (table, column) in enumerate(zip(original.tables, columns, strict=True)):
        low = original.low[a]
        of = intervals(table, recoding.cuts[a])
        if column.labels is None:
            wrong += 0 if low == 0 and len(set(of.tolist())) == table.leaves else table.leaves
            continue
        hierarchy = original.policy.hierarchies[table.name]
        reader = Reader(table, original.counts.values[a], hierarchy, low)
        for leaves in members_of(of):
            labels = {column.labels[column.codes[leaf]] for leaf in leaves}
            true_of = reader.true_of(labels.pop())
            wrong += len(leaves) if labels else len(true_of ^ set(leaves))
    return wrong


def check_cost(original: CountedOriginal, solution: Solution) -> Finding:
    """Cost, suppressed rows, classes and requirement, recomputed from the original's counts."""
    counts, tables, policy = original.counts, original.tables, original.policy
    recoding = solution.recoding
    assert isinstance(recoding, Cuts)
    if not policy.by_size:
        sentence = (
            "Recodings by cuts can be checked only if all requirements are on the size of classes."
        )
        return Finding("cost", False, sentence)
    of = [intervals(table, cuts) for table, cuts in zip(tables, recoding.cuts, strict=True)]
    node = count(counts, of, policy)
    cost, suppressed = cost_of_cuts(original, node, of), node.suppressed
    meets = solution.status is Status.UNMET or _meets(original, suppressed)
    classes = int((~node.broken).sum())
    return cost_finding(policy, solution, cost, suppressed, classes, meets=meets)


def count(counts: FrequencySet, of: Sequence[Whole], policy: Policy) -> CountedNode:
    """The classes between the cuts, and which of them are suppressed."""
    shown = {name: of[a][counts.codes[:, a]] for a, name in enumerate(counts.names)}
    sets = [alike([shown[name] for name in names], counts.groups) for names in policy.sets]
    of_group = alike(list(shown.values()), counts.groups)
    sizes = np.bincount(of_group, weights=counts.counts).astype(np.int64)
    broken = np.zeros(len(sizes), dtype=bool)
    broken[of_group[in_small_classes(sets, counts.counts, policy.smallest)]] = True
    suppressed = int(sizes[broken].sum())
    return CountedNode((), counts, (), of_group, sizes, broken, suppressed, broken)


def _meets(original: CountedOriginal, suppressed: int) -> bool:
    """Are no more rows suppressed than allowed, and are starred rows enough for a class?"""
    policy = original.policy
    own_class = policy.conventions.suppressed == "star" and policy.conventions.stars == "own"
    too_few = own_class and 0 < suppressed < policy.smallest
    return original.may_suppress(suppressed) and not too_few


def kept_groups(original: CountedOriginal, recoding: Cuts) -> tuple[Whole, Whole]:
    """The groups that are released, and the rows of each."""
    columns = zip(original.tables, recoding.cuts, strict=True)
    node = count(original.counts, [intervals(*column) for column in columns], original.policy)
    group = np.flatnonzero(~node.broken[node.of_group])
    return group, original.counts.counts[group]
