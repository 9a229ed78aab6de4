"""The quasi-identifiers of the released rows alone, as if the suppressed rows had never been there.

The certificate is public, and must not depend on what the suppressed rows held. The height of a
hierarchy may depend on it (a long code makes ``prefix`` higher), and so may the number of a level
(two levels may show the same labels of the released rows). Here hierarchies are tabulated for the
values of released rows only, and a level is the lowest that shows what is released.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import LevelTable
from lookalike.solution.recoding import Levels, Recoding, Space
from lookalike.tables.table import Table
from lookalike.verifier.claim.optimality import recoding_room
from lookalike.verifier.counted_original import CountedOriginal

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class KeptRows:
    """Groups of released rows; all of the original, if no row was suppressed."""

    original: CountedOriginal
    group: Whole  # (pieces,) of the original's counts
    rows: Whole  # (pieces,)
    complete: bool  # nothing was suppressed

    def leaves(self, a: int) -> Whole:
        """The values of a column that released rows hold, as places in the original's values."""
        if self.complete:
            return np.arange(self.original.tables[a].leaves)
        return np.unique(self.original.counts.codes[self.group, a]).astype(np.int64)

    def table(self, a: int) -> LevelTable:
        """The hierarchy of a column, for the values of released rows; in the order of leaves."""
        return restricted(self.original, a, self.leaves(a))


def kept_rows(original: CountedOriginal, recoding: Recoding, suppressed: int) -> KeptRows | None:
    """The released rows of a recoding; None if the original's groups are not in memory."""
    counts = original.counts
    if recoding.space is not Space.CELL_LEVEL:
        if not suppressed:
            return KeptRows(original, np.arange(counts.groups), counts.counts, complete=True)
        if counts.marginals is not None:  # only the values of each column were counted
            return None
    group, rows = recoding_room(recoding.space).kept_groups(original, recoding)
    return KeptRows(original, group, rows, complete=not suppressed)


def restricted(original: CountedOriginal, a: int, leaves: Whole) -> LevelTable:
    """The hierarchy of a column for some of its values."""
    table = original.tables[a]
    if len(leaves) == table.leaves:
        return table
    values = original.counts.values[a]
    hierarchy = original.policy.hierarchies[table.name]
    return hierarchy.tabulate(table.name, [values[leaf] for leaf in leaves.tolist()])


def labels_shown(released: Table, names: Sequence[str]) -> dict[str, frozenset[str | None]]:
    """The labels of each column in the release, by one scan of it."""
    classes = released.distinct_text(names)
    shown = [frozenset(classes.column(i).unique().to_pylist()) for i in range(len(names))]
    return dict(zip(names, shown, strict=True))


def column_level(
    original: CountedOriginal,
    a: int,
    recoding: Levels,
    kept: KeptRows | None,
    shown: Container[str | None],
) -> tuple[int, int]:
    """The level of a column and the height of its hierarchy, by the released rows.

    Their labels are ``shown``; they are needed only if ``kept`` is not known.
    """
    table, level = original.tables[a], recoding.levels[a]
    if kept is not None:
        leaves = kept.leaves(a)
    else:  # values that show a released label: those of released rows, and perhaps a few more
        labels = np.array(table.labels[level], dtype=object)[table.codes[:, level]]
        leaves = np.flatnonzero([label in shown for label in labels.tolist()])
    own = restricted(original, a, leaves)
    shown_labels = _labels(table, leaves, level)
    for candidate, at in ((own, np.arange(own.leaves)), (table, leaves)):
        for lowest in range(candidate.height + 1):
            if _labels(candidate, at, lowest) == shown_labels:
                return lowest, candidate.height
    return level, table.height


def cell_levels(kept: KeptRows, a: int, levels: Whole) -> tuple[Whole, int]:
    """(pieces,) the level of each cell of a column, and the height, by the released rows."""
    table = kept.original.tables[a]
    levels = np.minimum(levels, table.height).astype(np.int64)
    if kept.complete:
        return levels, table.height
    leaves = kept.leaves(a)
    codes = kept.original.counts.codes[kept.group, a].astype(np.int64)
    own = restricted(kept.original, a, leaves)
    pairs, of = np.unique(np.column_stack([codes, levels]), axis=0, return_inverse=True)
    of = of.reshape(-1)
    for candidate, place in ((own, np.searchsorted(leaves, pairs[:, 0])), (table, pairs[:, 0])):
        lowest = [
            _lowest(candidate, leaf, table.labels[level][table.codes[old, level]])
            for leaf, (old, level) in zip(place.tolist(), pairs.tolist(), strict=True)
        ]
        if None not in lowest:
            return np.array(lowest, dtype=np.int64)[of], candidate.height
    return levels, table.height


def _lowest(table: LevelTable, leaf: int, label: str | None) -> int | None:
    """The lowest level at which a value shows a label."""
    for level in range(table.height + 1):
        if table.labels[level][table.codes[leaf, level]] == label:
            return level
    return None


def _labels(table: LevelTable, leaves: Whole | Sequence[int], level: int) -> list[str | None]:
    return [table.labels[level][code] for code in table.codes[leaves, level].tolist()]
