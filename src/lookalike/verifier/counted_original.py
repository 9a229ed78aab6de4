"""The original table as the verifier has counted it, beside its hierarchies and policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy

LatticeNode = tuple[int, ...]
Floor = tuple[tuple[LatticeNode, FrequencySet], ...]


@dataclass(frozen=True, slots=True, eq=False)
class CountedOriginal:
    """Counts and hierarchies of the original, and the policy.

    If the table has too many distinct tuples to fetch, ``counts`` has no groups, and nodes are
    counted from those of the ``floor``.
    """

    counts: FrequencySet
    tables: Sequence[LevelTable]
    policy: Policy
    floor: Floor = ()
    # by refuted node: rows in classes of fewer than k
    small_rows: Mapping[LatticeNode, int] = field(default_factory=dict)

    @staticmethod
    def of(counts: FrequencySet, policy: Policy) -> CountedOriginal:
        """With the hierarchies of the policy, tabulated for the values that occur."""
        columns = zip(counts.names, counts.values, strict=True)
        tables = [policy.hierarchies[name].tabulate(name, values) for name, values in columns]
        return CountedOriginal(counts, tables, policy)

    @property
    def low(self) -> LatticeNode:
        """The finest level of each column that the policy allows."""
        return tuple(self.policy.level_bounds(table.name, table.height)[0] for table in self.tables)

    @property
    def high(self) -> LatticeNode:
        """The coarsest level of each column that the policy allows."""
        return tuple(self.policy.level_bounds(table.name, table.height)[1] for table in self.tables)

    @property
    def one_set(self) -> bool:
        """Does the requirement hold over all quasi-identifiers together, not over several sets?"""
        return self.policy.sets == (self.policy.names,)

    def allows(self, levels: Sequence[int]) -> bool:
        """Is this a node of the lattice within the policy's levels?"""
        return len(levels) == len(self.tables) and all(
            low <= level <= high
            for low, level, high in zip(self.low, levels, self.high, strict=True)
        )

    def sources(self, levels: Sequence[int]) -> Floor:
        """What a node can be counted from: itself or finer nodes, with their groups."""
        return tuple(
            (node, counts)
            for node, counts in self.floor or (((0,) * len(self.tables), self.counts),)
            if len(node) == len(levels)
            and all(finer <= level for finer, level in zip(node, levels, strict=True))
        )

    def may_suppress(self, rows: int) -> bool:
        """No more rows than the policy allows, and never all of them."""
        total = self.counts.rows
        return rows <= self.policy.allowance(total) and (rows < total or not total)
