"""The broken nodes that a search has counted, as clauses for every box of every target."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.remote_counts import Node


class Clauses:
    """Nodes that break the policy, and all finer nodes with them."""

    def __init__(self, columns: int) -> None:
        self.levels: NDArray[np.int16] = np.zeros((64, columns), dtype=np.int16)
        self.used: NDArray[np.bool_] = np.zeros(64, dtype=np.bool_)  # since it was last asked
        self.count = 0
        self.numbers: dict[Node, int] = {}

    def add(self, node: Node) -> int:
        """The number of the clause."""
        known = self.numbers.get(node)
        if known is not None:
            return known
        if self.count == len(self.levels):
            self.levels = np.concatenate((self.levels, np.zeros_like(self.levels)))
            self.used = np.concatenate((self.used, np.zeros_like(self.used)))
        self.levels[self.count] = node
        self.numbers[node] = self.count
        self.count += 1
        return self.count - 1

    def node(self, number: int) -> Node:
        """The node of a clause."""
        return tuple(self.levels[number].tolist())

    def take_used(self) -> list[int]:
        """The clauses used since this was last asked."""
        numbers: list[int] = np.flatnonzero(self.used[: self.count]).tolist()
        self.used[numbers] = False
        return numbers
