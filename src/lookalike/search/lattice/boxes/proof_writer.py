"""Write down a search in boxes, so that it can be walked again: tokens in preorder."""

from __future__ import annotations

import numpy as np

from lookalike.counts.remote_counts import Node
from lookalike.solution.proof import BoxTree, Step


class ProofWriter:
    """The tokens of one tree of boxes, and the nodes that it cites."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.numbers: dict[Node, int] = {}
        self.cited: set[Node] = set()  # between the root and the box that is being written

    def cite(self, node: Node) -> bool:
        """Name a node in this box, unless it was named above. Is it new?"""
        if node in self.cited:
            return False
        self.cited.add(node)
        self.tokens.append(self._number(node))
        return True

    def add_up(self, nodes: list[Node]) -> None:
        """Name nodes whose prices add up, because they are about different columns."""
        self.tokens += [Step.SUM, len(nodes), *map(self._number, nodes)]

    def split(self, column: int, level: int) -> None:
        """The box is divided: first the part up to this level, then the rest."""
        self.tokens += [Step.SPLIT, column, level]

    def close(self) -> None:
        """Nothing in the box costs less than the target."""
        self.tokens.append(Step.CLOSED)

    def finish(self) -> tuple[tuple[Node, ...], BoxTree]:
        """The cited nodes, and the tree."""
        return tuple(self.numbers), BoxTree(np.array(self.tokens, dtype=np.int32))

    def _number(self, node: Node) -> int:
        return self.numbers.setdefault(node, len(self.numbers))
