"""The memory layout of a frequency set and its level tables for the counting kernels.

Attributes with few values are *packed*: several small columns are read as one, so that a tuple of
nine columns takes four look-ups in place of nine. The value of a pack is the mixed-radix number of
its members' leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.counts.frequency_set import FrequencySet, Histogram, in_order
from lookalike.counts.level_table import LevelTable
from lookalike.counts.sensitive_spread import Spread, Whole, tally

SLOTS = 1 << 20  # code tuples that can be counted in an array, without hashing
PACK = 256  # values of a pack: its table is made anew for every node, so it must stay small


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """``lookup[offset[a, level] + leaf]`` is the code of a leaf of attribute a at a level."""

    leaf: NDArray[np.int32]  # (groups, attributes)
    lookup: NDArray[np.int32]  # every attribute's codes at every level, end to end
    offset: NDArray[np.int64]  # (attributes, levels)
    width: NDArray[np.int64]  # (attributes, levels) distinct codes
    packed: NDArray[np.int32]  # (groups, packs) leaves of several attributes as one number
    members: NDArray[np.int64]  # attributes, pack by pack
    starts: NDArray[np.int64]  # (packs + 1,) where each pack's members begin
    leaves: NDArray[np.int64]  # (attributes,)
    ground: Classes  # the groups themselves, each a class of its own
    slots: NDArray[np.int32]  # room for the kernels to count in, all −1: one thread at a time
    scratch: NDArray[np.int64]  # (5, groups)

    def codes(self, levels: NDArray[np.int64], groups: NDArray[np.int64]) -> NDArray[np.int32]:
        """The released codes of some groups, (groups, attributes)."""
        base = self.offset[np.arange(len(levels)), levels]
        codes: NDArray[np.int32] = self.lookup[base + self.leaf[groups]]
        return codes


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """Per attribute and level a table (codes, level + 1): what a row under a code costs.

    Column l is the price if the row were released at level l instead; all tables end to end.
    """

    flat: NDArray[np.float64]
    offset: NDArray[np.int64]  # (attributes, levels)


def encode(
    counts: FrequencySet,
    tables: tuple[LevelTable, ...],
    class_column: str | None = None,
    columns: Mapping[str, Histogram] | None = None,
    fewest: int = 0,
) -> Encoded:
    """Lay out counts and level tables.

    ``class_column`` adds its histogram to every class, for a metric, and ``columns`` add theirs,
    for requirements; ``fewest`` is the number of rows that any release has at least.
    """
    order = _neighbors(counts)
    leaf = np.ascontiguousarray(counts.codes[order], dtype=np.int32)
    levels = max(table.height for table in tables) + 1
    offset = np.zeros((len(tables), levels), dtype=np.int64)
    width = np.ones((len(tables), levels), dtype=np.int64)
    parts: list[NDArray[np.int32]] = []
    at = 0
    for a, table in enumerate(tables):
        for level in range(table.height + 1):
            offset[a, level] = at
            width[a, level] = max(1, len(table.labels[level]))
            parts.append(table.codes[:, level])
            at += table.leaves
    labels = None
    if class_column is not None:
        labels = counts.sensitive[class_column].dense(counts.groups)[order]
    place = np.empty(counts.groups, dtype=np.int64)
    place[order] = np.arange(counts.groups)
    spreads = {
        name: spread_over(histogram, place, counts.groups, fewest)
        for name, histogram in (columns or {}).items()
    }
    leaves = np.array([max(1, table.leaves) for table in tables], dtype=np.int64)
    packs = _packs(leaves.tolist())
    packed = np.zeros((counts.groups, len(packs)), dtype=np.int32)
    for p, pack in enumerate(packs):
        for a in pack:
            packed[:, p] = packed[:, p] * leaves[a] + leaf[:, a]
    return Encoded(
        leaf,
        np.ascontiguousarray(np.concatenate(parts), dtype=np.int32),
        offset,
        width,
        packed,
        np.array([a for pack in packs for a in pack], dtype=np.int64),
        np.cumsum([0, *map(len, packs)], dtype=np.int64),
        leaves,
        Classes(counts.counts[order], np.arange(counts.groups, dtype=np.int64), labels, spreads),
        np.full(max(SLOTS, 4 * counts.groups), -1, dtype=np.int32),
        np.zeros((5, counts.groups), dtype=np.int64),
    )


def spread_over(histogram: Histogram, place: Whole, classes: int, fewest: int) -> Spread:
    """A histogram over groups as entries over classes; ``place`` is the class of each group."""
    values, rows = len(histogram.values), histogram.count.astype(np.int64)
    total = np.bincount(histogram.code, weights=rows, minlength=values).astype(np.int64)
    of, code, count = tally(place[histogram.group], histogram.code, rows, classes, values)
    return Spread(histogram.values, of, code, count, total, fewest)


def _neighbors(counts: FrequencySet) -> NDArray[np.int64]:
    """Groups in an order with likely lookalikes next to each other: widest columns last.

    Columns with many values are generalized furthest, so runs of groups fall into one class, and
    the kernels find the class of the group before still in the cache.
    """
    if not counts.groups:
        return np.zeros(0, dtype=np.int64)
    widest_first = sorted(range(len(counts.names)), key=lambda a: -len(counts.values[a]))
    if in_order([counts.codes[:, a] for a in widest_first[::-1]]):
        return np.arange(counts.groups)
    return np.lexsort([counts.codes[:, a] for a in widest_first])


def _packs(leaves: list[int]) -> list[list[int]]:
    """Put attributes into packs, the widest first, each into the first pack where it fits."""
    packs: list[list[int]] = []
    sizes: list[int] = []
    for a in sorted(range(len(leaves)), key=lambda a: -leaves[a]):
        for p, size in enumerate(sizes):
            if size * leaves[a] <= PACK:
                packs[p].append(a)
                sizes[p] *= leaves[a]
                break
        else:
            packs.append([a])
            sizes.append(leaves[a])
    return packs
