"""Re-check a cell-level solution: does its map fit the table and the policy, and cost what it says?

Counted here by labels, with the verifier's own formulas.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import TOP, LevelTable
from lookalike.policy.policy import Policy
from lookalike.solution.recoding import GONE, CellMap, Recoding
from lookalike.solution.solution import Solution, Status
from lookalike.verifier.claim.claim_findings import cost_finding
from lookalike.verifier.claim.metrics import CellNode, costing_for
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.definitions import judge
from lookalike.verifier.requirements.sensitive_counts import held_by
from lookalike.verifier.requirements.suppression import kept_as_a_whole


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
        yield "The cell map speaks of groups that the table does not have."
    rows = np.zeros(counts.groups, dtype=np.int64)
    np.add.at(rows, recoding.group, recoding.rows)
    if not np.array_equal(rows, counts.counts[counts.canonical()]):
        yield "The pieces of the cell map do not make up the rows of the table."
    if (recoding.levels > np.array([table.height for table in tables])).any():
        yield "Levels are named that no hierarchy has."
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
            yield f"{table.name} is at several levels: that is not {policy.model.name}."


def check_cost(original: CountedOriginal, solution: Solution) -> Finding:
    """Cost, suppressed rows, classes and requirement, recomputed from the original's counts."""
    counts, tables, policy = original.counts, original.tables, original.policy
    recoding = solution.recoding
    assert isinstance(recoding, CellMap)
    group = counts.canonical()[recoding.group]
    gone = recoding.gone
    suppressed = int(recoding.rows[gone].sum())
    shown = [_shown(counts, tables[a], group, recoding.levels[:, a], a) for a in range(len(tables))]
    tuples = list(zip(*shown, strict=True)) if shown else [()] * len(group)
    number: dict[tuple[str | None, ...], int] = {}
    of = np.full(len(group), -1, dtype=np.int64)
    for piece in np.flatnonzero(~gone).tolist():
        of[piece] = number.setdefault(tuples[piece], len(number))
    sizes = np.zeros(len(number), dtype=np.int64)
    np.add.at(sizes, of[~gone], recoding.rows[~gone])
    cells = CellNode(group, recoding.rows, recoding.levels, gone, of, sizes, suppressed)
    unmet = solution.status is Status.UNMET
    return cost_finding(
        policy,
        solution,
        costing_for(original).cost_of_cells(cells),
        suppressed,
        len(sizes),
        meets=unmet or _meets(shown, recoding, suppressed, counts, policy),
    )


def _shown(
    counts: FrequencySet,
    table: LevelTable,
    group: NDArray[np.int64],
    levels: NDArray[np.int16],
    a: int,
) -> list[str | None]:
    """The label of each piece in one column."""
    level = np.where(levels == GONE, table.height, levels)
    codes = table.codes[counts.codes[group, a], level]
    return [table.labels[at][code] for at, code in zip(level.tolist(), codes.tolist(), strict=True)]


def _meets(
    shown: Sequence[Sequence[str | None]],
    recoding: CellMap,
    suppressed: int,
    counts: FrequencySet,
    policy: Policy,
) -> bool:
    """Every class large enough over each set of columns, no more rows left out than allowed, and
    those starred safe.
    """
    if not policy.by_size:
        return _keeps_all(shown, recoding, suppressed, counts, policy)
    kept, rows = np.flatnonzero(~recoding.gone).tolist(), recoding.rows.tolist()
    stars = {piece for piece in kept if all(column[piece] == TOP for column in shown)}
    free = policy.conventions.stars == "wildcard"
    starred_stay = policy.conventions.suppressed == "star" and suppressed > 0
    apart = stars if free or starred_stay else set()  # judged together with the suppressed, below
    for one in policy.sets:
        columns = [shown[counts.names.index(name)] for name in one]
        tuples = {piece: tuple(column[piece] for column in columns) for piece in kept}
        held: Counter[tuple[str | None, ...]] = Counter()
        for piece, cells in tuples.items():
            held[cells] += rows[piece]
        if any(held[tuples[piece]] < policy.smallest for piece in kept if piece not in apart):
            return False
    together = suppressed + sum(rows[piece] for piece in stars)
    alone = starred_stay and not free and together < policy.smallest
    within = suppressed <= policy.allowance(counts.rows) and (
        suppressed < counts.rows or not counts.rows
    )
    return within and not alone


def _keeps_all(
    shown: Sequence[Sequence[str | None]],
    recoding: CellMap,
    suppressed: int,
    counts: FrequencySet,
    policy: Policy,
) -> bool:
    """The same where more is asked of classes than a size, and no group is split."""
    group = counts.canonical()[recoding.group]
    if len(np.unique(group)) < len(group) or policy.population is not None:
        return False  # whose value goes where is not told by counts
    stays = policy.conventions.suppressed == "star"
    if not (suppressed <= policy.allowance(counts.rows) and (suppressed < counts.rows)):
        return False
    for one in policy.sets:
        columns = [shown[counts.names.index(name)] for name in one]
        number: dict[tuple[str | None, ...], int] = {}
        of = np.zeros(len(group), dtype=np.int64)
        for piece, cells in enumerate(zip(*columns, strict=True)):
            of[piece] = number.setdefault(cells, len(number))
        if not stays:
            of[recoding.gone] = len(number)  # a class by themselves, which is not released
        sizes = np.zeros(len(number) + 1, dtype=np.int64)
        np.add.at(sizes, of, recoding.rows)
        of_group = np.empty(counts.groups, dtype=np.int64)
        of_group[group] = of
        held = held_by(counts, policy.required_columns, of_group, sizes)
        held = held.emptied(np.arange(len(sizes)) == len(number), dropped=True)
        everybody = held.sizes > 0
        stars = np.array([all(cell == TOP for cell in cells) for cells in (*number, ())])
        about = everybody & ~stars if policy.conventions.stars == "wildcard" else everybody
        for rule in policy.require:
            bad = judge(rule, held, counts.rows).broken & about
            if bad.any() or not kept_as_a_whole(rule, held, everybody):
                return False
    return True
