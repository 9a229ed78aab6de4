"""Rows in small classes of many nodes: what a proof by boxes needs, if only sizes count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookalike.verifier.counted_original import CountedOriginal

MAX_CODES = 200_000_000  # of all groups, columns and levels, that are kept


class SmallClasses:
    """Counts nodes of one table quickly."""

    def __init__(self, original: CountedOriginal) -> None:
        counts, tables = original.counts, original.tables
        self.smallest = original.policy.smallest
        self.rows = counts.counts.astype(np.int64)
        self.begin = np.cumsum([0, *(table.height + 1 for table in tables)])
        self.widths = np.array([len(labels) for table in tables for labels in table.labels])
        self.shown = np.empty((int(self.begin[-1]), counts.groups), dtype=np.int32)
        for a, table in enumerate(tables):
            for level in range(table.height + 1):
                self.shown[self.begin[a] + level] = table.codes[:, level][counts.codes[:, a]]
        self.keys = np.empty((len(tables), counts.groups), dtype=np.int64)
        self.places = np.empty(1 << (2 * counts.groups + 15).bit_length(), dtype=np.int64)
        self.first, self.held = np.empty((2, counts.groups), dtype=np.int64)

    @staticmethod
    def serves(original: CountedOriginal) -> bool:
        """Do only the sizes of classes count, and are all groups in memory?"""
        levels = sum(table.height + 1 for table in original.tables)
        return (
            original.policy.by_size
            and original.one_set
            and not original.floor
            and levels * original.counts.groups <= MAX_CODES
        )

    def count(self, levels: Sequence[int]) -> int:
        """Rows in classes that are too small at a node."""
        from lookalike.verifier.claim.lattice.small_class_kernels import (  # late: loads numba
            rows_in_small_classes,
        )

        at = self.begin[:-1] + np.array(levels)
        return int(
            rows_in_small_classes(
                self.shown, at, self.widths[at], self.rows, self.smallest,
                self.keys, self.places, self.first, self.held,
            )
        )  # fmt: skip
