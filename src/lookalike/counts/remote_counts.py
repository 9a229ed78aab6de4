"""Counts that stay where the rows are: too many tuples to fetch, so nodes are asked for one by one.

What is fetched is the frequency set of a node: its groups, each with some leaf of every code in
place of the values. Coarser nodes can be counted from it in memory; finer ones cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lookalike.counts.frequency_set import FrequencySet

Node = tuple[int, ...]


class RemoteCounts(Protocol):
    """The tuples of a table over some columns, on its engine."""

    @property
    def rows(self) -> int: ...

    def at(self, levels: Node) -> FrequencySet:
        """The groups of a node."""
        ...

    def guess(self, nodes: Sequence[Node]) -> list[float]:
        """About how many groups each has, from a sample of the rows; quick."""
        ...

    def alone(self, levels: Node, fewer: int, enough: int) -> int:
        """Rows in groups of a node that hold fewer than so many; the groups are not fetched.

        Once there are more than ``enough``, the others need not be counted.
        """
        ...

    def groups(self, levels: Node, most: int) -> int:
        """About how many groups it has, from all rows, within a few percent; of more than ``most``
        only that they are more.
        """
        ...
