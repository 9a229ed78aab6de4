"""The protocol of counts that stay in the database, because there are too many tuples to fetch.

Only the frequency set of a lattice node is fetched: its groups, with one leaf for each code in
place of the values. Coarser nodes can be counted from it in memory; finer nodes cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lookalike.counts.frequency_set import FrequencySet

Node = tuple[int, ...]


class RemoteCounts(Protocol):
    """The counts of a table over some columns, in its engine."""

    @property
    def rows(self) -> int:
        """Rows of the table."""

    def at(self, levels: Node) -> FrequencySet:
        """Fetch the groups of a lattice node."""

    def sampled_groups(self, nodes: Sequence[Node]) -> list[float]:
        """A fast estimate of how many groups each node has, from a sample of the rows."""

    def small_group_rows(self, levels: Node, fewer: int, enough: int) -> int:
        """Rows in groups of a node with fewer than ``fewer`` rows, without fetching the groups.

        Counting may stop once there are more than ``enough``.
        """

    def approximate_groups(self, levels: Node, most: int) -> int:
        """How many groups a node has, within a few percent, counted on all rows.

        If there are more than ``most``, any number above ``most`` will do.
        """
