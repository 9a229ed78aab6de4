"""Check a cell map: does it fit the table and the policy, and does it cost what it claims?

Classes are counted here by their labels, with the verifier's own formulas.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from lookalike.counts.level_table import TOP
from lookalike.solution.recoding import CellMap, Recoding
from lookalike.solution.solution import Solution, Status
from lookalike.verifier.claim.claim_findings import cost_finding
from lookalike.verifier.claim.group_classes import Whole
from lookalike.verifier.claim.metrics import CountedCells, costing_for
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.definitions import judge, table_wide_met
from lookalike.verifier.requirements.sensitive_counts import classes_of_groups, number_tuples


def check_fit(original: CountedOriginal, recoding: Recoding) -> Finding | None:
    """Why the cell map does not cover the table within the policy; None if it does."""
    assert isinstance(recoding, CellMap)
    problem = next(_misfits(original, recoding), None)
    return None if problem is None else Finding("solution", False, problem)


def _misfits(original: CountedOriginal, recoding: CellMap) -> Iterator[str]:
    """Sentences; each check relies on those before it."""
    counts, tables, policy = original.counts, original.tables, original.policy
    if policy.model is not None and not policy.model.by_cell:
        yield f"A cell map does not follow model {policy.model.name}."
    if len(recoding.group) and int(recoding.group.max()) >= counts.groups:
        yield "The cell map names groups that the table does not have."
    rows = np.zeros(counts.groups, dtype=np.int64)
    np.add.at(rows, recoding.group, recoding.rows)
    if not np.array_equal(rows, counts.counts[counts.canonical()]):
        yield "The pieces of the cell map do not add up to the rows of the table."
    if (recoding.levels > np.array([table.height for table in tables])).any():
        yield "The cell map names levels that no hierarchy has."
    shown = recoding.levels[~recoding.gone]
    stars = policy.model is not None and policy.model.suppress == "cell"
    one_level = policy.model is not None and policy.model.generalize == "attribute"
    for table, level, low, high in zip(tables, shown.T, original.low, original.high, strict=True):
        outside = (level < low) | (level > high)
        if stars:
            outside &= level != table.height
        if outside.any():
            yield f"{table.name} is recoded outside the levels that the policy allows."
        if one_level and len(np.unique(level[level != table.height])) > 1:
            assert policy.model is not None
            yield f"{table.name} is at several levels; model {policy.model.name} allows one."


def check_cost(original: CountedOriginal, solution: Solution) -> Finding:
    """Cost, suppressed rows, classes and requirement, recomputed from the original's counts."""
    recoding = solution.recoding
    assert isinstance(recoding, CellMap)
    group = original.counts.canonical()[recoding.group]
    gone = recoding.gone
    suppressed = int(recoding.rows[gone].sum())
    shown = _shown(original, group, recoding)
    labels = list(zip(*shown, strict=True)) if shown else [()] * len(group)
    of = np.full(len(group), -1, dtype=np.int64)
    of[~gone] = number_tuples(labels[piece] for piece in np.flatnonzero(~gone).tolist())
    sizes = np.zeros(int(of.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(sizes, of[~gone], recoding.rows[~gone])
    counted = CountedCells(group, recoding.rows, recoding.levels, gone, of, sizes, suppressed)
    cost = costing_for(original).cells(counted)
    unmet = solution.status is Status.UNMET
    meets = unmet or _meets(original, shown, recoding, suppressed)
    return cost_finding(original.policy, solution, cost, suppressed, len(sizes), meets=meets)


def _shown(original: CountedOriginal, group: Whole, recoding: CellMap) -> list[list[str | None]]:
    """Per column (pieces,): the label of each piece, whose ``group`` is by the counts."""
    shown = []
    for a, table in enumerate(original.tables):
        level = np.where(recoding.gone, table.height, recoding.levels[:, a])
        codes = table.codes[original.counts.codes[group, a], level]
        at_codes = zip(level.tolist(), codes.tolist(), strict=True)
        shown.append([table.labels[at][code] for at, code in at_codes])
    return shown


def _meets(
    original: CountedOriginal,
    shown: Sequence[Sequence[str | None]],  # per column (pieces,): labels
    recoding: CellMap,
    suppressed: int,
) -> bool:
    """Does the release of this cell map meet the policy?"""
    if not original.may_suppress(suppressed):
        return False
    policy, names = original.policy, original.counts.names
    by_set = [[shown[names.index(name)] for name in columns] for columns in policy.sets]
    if not policy.by_size:
        return all(_judged_safe(original, columns, recoding) for columns in by_set)
    kept, rows = ~recoding.gone, recoding.rows
    stars = kept & np.array([set(cells) == {TOP} for cells in zip(*shown, strict=True)], dtype=bool)
    wildcard = policy.conventions.stars == "wildcard"
    starred = policy.conventions.suppressed == "star" and suppressed > 0
    # if starred, they are a class with the suppressed rows, see below
    judged = kept & ~stars if wildcard or starred else kept
    for columns in by_set:
        of = number_tuples(zip(*columns, strict=True))
        sizes = np.bincount(of[kept], weights=rows[kept], minlength=len(of))
        if (sizes[of[judged]] < policy.smallest).any():
            return False
    star_rows = suppressed + int(rows[stars].sum())
    return not starred or wildcard or star_rows >= policy.smallest


def _judged_safe(
    original: CountedOriginal, columns: Sequence[Sequence[str | None]], recoding: CellMap
) -> bool:
    """Do the classes over some columns meet requirements that are not on their size alone?"""
    counts, policy = original.counts, original.policy
    group = counts.canonical()[recoding.group]
    if len(np.unique(group)) < len(group) or policy.population is not None:
        return False  # counts do not say which row of a split group has which sensitive value
    shown = list(zip(*columns, strict=True))
    of, number = number_tuples(shown), dict.fromkeys(shown)
    if policy.conventions.suppressed == "drop":
        of[recoding.gone] = len(number)  # a class of their own, which is not released
    sizes = np.zeros(len(number) + 1, dtype=np.int64)
    np.add.at(sizes, of, recoding.rows)
    of_group = np.empty(counts.groups, dtype=np.int64)
    of_group[group] = of
    classes = classes_of_groups(counts, policy.required_columns, of_group, sizes)
    classes = classes.without(np.arange(len(sizes)) == len(number), dropped=True)
    released = classes.sizes > 0
    judged = released
    if policy.conventions.stars == "wildcard":
        stars = np.array([all(cell == TOP for cell in cells) for cells in (*number, ())])
        judged = released & ~stars
    return not any((judge(rule, classes, counts.rows).broken & judged).any()
                   or not table_wide_met(rule, classes, released)
                   for rule in policy.require)  # fmt: skip


def kept_groups(original: CountedOriginal, recoding: CellMap) -> tuple[Whole, Whole]:
    """The group of each released piece, and its rows."""
    kept = ~recoding.gone
    return original.counts.canonical()[recoding.group[kept]], recoding.rows[kept]


def released_levels(recoding: CellMap, pieces: int) -> Whole:
    """(pieces, columns) the level at which each cell of a released piece is shown."""
    return recoding.levels[~recoding.gone].astype(np.int64)
