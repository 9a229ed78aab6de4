"""Count lattice nodes and judge them by the policy, with the verifier's own code.

A node is counted from the original's groups, or from the floor's node below it that has the fewest:
the recoded tuples are numbered with Arrow's hashing, and the rows of equal tuples added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.verifier.claim.group_classes import Whole, in_small_classes
from lookalike.verifier.claim.metrics import CountedNode
from lookalike.verifier.counted_original import CountedOriginal, LatticeNode
from lookalike.verifier.requirements.definitions import judge, table_wide_met
from lookalike.verifier.requirements.sensitive_counts import (
    CountedClasses,
    Flags,
    classes_of_groups,
)
from lookalike.verifier.requirements.suppression import broken_classes

if TYPE_CHECKING:
    from lookalike.verifier.requirements.population import People

MAX_CACHED_CODES = 20_000_000


@dataclass(slots=True)
class NodeCounter:
    """Counts the nodes of one table, and keeps what the next node may need again."""

    original: CountedOriginal
    shown: dict[tuple[int, int], NDArray[np.int32]] = field(default_factory=dict)
    shown_by: FrequencySet | None = None  # the groups that show these codes, by column and level
    people: People | None = None

    def source(self, levels: Sequence[int]) -> tuple[LatticeNode, FrequencySet]:
        """The node that this one is counted from, and its groups."""
        return min(self.original.sources(levels), key=lambda source: source[1].groups)

    def count(self, levels: Sequence[int]) -> CountedNode:
        """The classes of a node, and which of them may not be released."""
        floor_node, counts = self.source(levels)
        of_group = self._classes(counts, levels, range(len(levels)))
        sizes = np.bincount(of_group, weights=counts.counts).astype(np.int64)
        if self.original.policy.by_size:
            classes = None
            broken = lost = self._small_classes(counts, levels, of_group, sizes)
        else:
            classes = self._count_sensitive(counts, levels, of_group, sizes)
            broken, lost = self._judge(counts, levels, of_group, classes)
        suppressed = int(sizes[broken].sum())
        return CountedNode(
            tuple(levels), counts, floor_node, of_group, sizes, broken, suppressed, lost, classes
        )

    def finer_meet(self, node: CountedNode) -> bool:
        """May any finer node be released? If not, each suppresses too many rows.

        If a class breaks monotone rules, some part of it does at every finer node, and that is at
        least one row, provided that what classes are compared with stays the same.
        """
        policy = self.original.policy
        rows = node.lost_rows
        moving = (
            policy.conventions.suppressed == "drop"
            and policy.allowance(self.original.counts.rows) > 0
            and any(rule.compares_to_release for rule in policy.require)
        )
        if not moving and self.original.one_set and all(rule.monotone for rule in policy.require):
            rows += int((node.broken & ~node.lost).sum())
        return self.original.may_suppress(rows)

    def meets(self, node: CountedNode) -> bool:
        """Does the release of this node meet the policy?"""
        if not self.original.may_suppress(node.suppressed):
            return False
        policy = self.original.policy
        starred = policy.conventions.suppressed == "star" and node.suppressed > 0
        own_class = starred and policy.conventions.stars == "own"
        if node.classes is None:
            return not own_class or node.suppressed >= policy.smallest
        kept, classes = ~node.broken, node.classes
        if starred:  # the starred rows are released as one class, the first
            classes = classes.merged(np.where(node.broken, 0, np.cumsum(kept)))
            kept = np.ones(len(classes), dtype=bool)
        if not all(table_wide_met(rule, classes, kept) for rule in policy.require):
            return False
        rows = self.original.counts.rows
        return not (
            own_class and any(judge(rule, classes, rows).broken[0] for rule in policy.require)
        )

    def _judge(
        self, counts: FrequencySet, levels: Sequence[int], of_group: Whole, classes: CountedClasses
    ) -> tuple[Flags, Flags]:
        """Which classes may not be released, and which of them at no finer node either."""
        policy = self.original.policy
        member = _members(of_group, len(classes))
        sets = [
            self._classes(counts, levels, columns)[member] for columns in self._columns_of_sets()
        ]
        broken = broken_classes(policy, classes, sets)
        return broken, broken & broken_classes(policy, classes, sets, hopeless=True)

    def _count_sensitive(
        self, counts: FrequencySet, levels: Sequence[int], of_group: Whole, sizes: Whole
    ) -> CountedClasses:
        """The classes with what the requirements need counted: sensitive values, population."""
        policy = self.original.policy
        classes = classes_of_groups(counts, policy.required_columns, of_group, sizes)
        if policy.population is None:
            return classes
        if self.people is None:
            from lookalike.verifier.requirements.population import People

            self.people = People.of(policy)
        member = _members(of_group, len(sizes))
        shown = []
        for a, (table, level) in enumerate(zip(self.original.tables, levels, strict=True)):
            codes = table.codes[:, level][counts.codes[member, a]].tolist()
            shown.append([table.labels[level][code] for code in codes])
        return self.people.among(classes, shown, levels)

    def _small_classes(
        self, counts: FrequencySet, levels: Sequence[int], of_group: Whole, sizes: Whole
    ) -> Flags:
        """Classes too small over some set of columns, or once others are suppressed."""
        smallest = self.original.policy.smallest
        if self.original.one_set:
            return sizes < smallest
        sets = [self._classes(counts, levels, columns) for columns in self._columns_of_sets()]
        suppressed = in_small_classes(sets, counts.counts, smallest)
        small = np.zeros(len(sizes), dtype=bool)
        small[of_group[suppressed]] = True
        return small

    def _columns_of_sets(self) -> list[list[int]]:
        names = [table.name for table in self.original.tables]
        return [[names.index(name) for name in columns] for columns in self.original.policy.sets]

    def _classes(
        self, counts: FrequencySet, levels: Sequence[int], columns: Sequence[int]
    ) -> Whole:
        """(groups,) the class of each group over some of the columns."""
        keys = np.zeros(counts.groups, dtype=np.int64)
        for a in columns:
            codes = self._shown_codes(counts, a, levels[a])
            width = len(self.original.tables[a].labels[levels[a]])
            if int(keys.max(initial=0) + 1) * width >= 2**62:
                keys = _numbered(keys)
            keys = keys * width + codes
        return _numbered(keys)

    def _shown_codes(self, counts: FrequencySet, a: int, level: int) -> NDArray[np.int32]:
        """(groups,) what each shows in a column, kept while nodes are counted in turn."""
        if self.shown_by is not counts:
            self.shown, self.shown_by = {}, counts
        codes = self.shown.get((a, level))
        if codes is None:
            codes = self.original.tables[a].codes[:, level][counts.codes[:, a]]
            if (len(self.shown) + 1) * counts.groups < MAX_CACHED_CODES:
                self.shown[a, level] = codes
        return codes


def _members(of_group: Whole, classes: int) -> Whole:
    """(classes,) one group of each class."""
    member = np.zeros(classes, dtype=np.int64)
    member[of_group] = np.arange(len(of_group))
    return member


def _numbered(keys: Whole) -> Whole:
    """Numbers from 0, the same for equal keys."""
    span = int(keys.max(initial=0)) + 1
    if span <= 8 * len(keys):
        present = np.zeros(span, dtype=np.bool_)
        present[keys] = True
        return (np.cumsum(present) - 1)[keys]
    numbers: Whole = pa.array(keys).dictionary_encode().indices.to_numpy()
    return numbers.astype(np.int64)
