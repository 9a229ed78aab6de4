"""A proof that can be checked again: what has to be counted to see that nothing costs less.

A proof asks for no trust. For full-domain recodings it is a list of lattice nodes: counting them on
the original table shows how many rows each suppresses, and with the metric's two-sided bound
(``cost/metric.py``) what every other node costs at least. If a node remains that could cost less
than the bound, the proof fails. For a lattice too large to look at every node it is a tree of
boxes: counted nodes show that nothing in a box costs less than the bound. For cuts it is the tree
of a search, which the verifier walks again. At cell level it names the kind of bound, which the
verifier computes, from dual prices if there are any.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.remote_counts import Node


class By(StrEnum):
    """What a lower bound rests on."""

    NODES = "nodes"  # the counted nodes of the lattice; without any, the metric alone
    SUPPORT_BOUND = "support bound"  # each row pays its cheapest generalization that k rows share
    NEAREST_ROWS = "nearest rows"  # each row pays at least for company with its k − 1 nearest rows
    DUAL_PRICES = "dual prices"  # no class is priced higher than it costs
    ENUMERATION = "enumeration"  # of all classes that cost nearly their price, no choice is cheaper
    BOXES = "boxes"  # a tree of boxes of the lattice; counted nodes close every end
    TREE = "tree"  # a tree of cuts; a bound closes every end


SENTENCES = {
    By.SUPPORT_BOUND: "the lowest cost of each row in any group of k rows",
    By.NEAREST_ROWS: "the cost of each row in a class with its (k − 1)-th nearest row alone",
    By.DUAL_PRICES: "dual prices of the rows: the price of no class is above its cost",
    By.ENUMERATION: "dual prices of the rows, and a new search among all classes whose cost is "
    "close to their price",
}
PRICED = (By.NEAREST_ROWS, By.DUAL_PRICES, By.ENUMERATION)  # the proof has prices
TREES = {
    By.TREE: "a search tree over cuts with {} closed by a bound",
    By.BOXES: "a tree of boxes of the lattice with {} closed by counted nodes",
}
NEXT, CLOSED, LEFT, BRANCH = -1, -2, -3, -16


@dataclass(frozen=True, slots=True, eq=False)
class CutTree:
    """A search over cuts, written down in preorder so that it can be walked again.

    Cuts are numbered column by column, from a column's first place on, without the column ``long``,
    whose cuts are left to dynamic programming. At each node: cuts found not worth making (their
    numbers), ``NEXT`` before more of them that follow from looking again without the first;
    then ``CLOSED``, or ``LEFT`` open, or ``BRANCH`` − cut, followed by the node where that cut is
    made and the node where it is not.
    """

    long: str
    marks: NDArray[np.int16]
    asked: str = ""  # a digest of table and policy, by which a search recognizes its own tree
    below: float = math.inf  # the search looked only for recodings that cost less than this

    @property
    def ends(self) -> int:
        """Nodes where it does not branch."""
        return int(((self.marks == CLOSED) | (self.marks == LEFT)).sum())


class Step(IntEnum):
    """What stands in a tree of boxes beside the numbers of cited nodes, which are 0 or more."""

    CLOSED = -1  # nothing in this box costs less than the bound
    SUM = -2  # then how many nodes, and their numbers: over different columns, so prices add up
    SPLIT = -3  # then a column and a level: first the box up to this level, then the box above it


@dataclass(frozen=True, slots=True, eq=False)
class BoxTree:
    """A search in boxes of the lattice, written down in preorder so that it can be walked again.

    A number of 0 or more cites a node of the proof by its place: what it says holds in this box and
    in all parts of it. The last token of each box is ``Step.SPLIT`` or ``Step.CLOSED``.
    """

    tokens: NDArray[np.int32]

    @property
    def ends(self) -> int:
        """Boxes that are closed."""
        return int((self.tokens == Step.CLOSED).sum())


@dataclass(frozen=True, slots=True, eq=False)
class DualPrices:
    """A price for each row, so that no class is priced higher than it costs.

    ``per_row`` is the price of one row of every group, in canonical order. ``suppression`` is the
    price of suppressing a row beyond its own price, where the policy limits suppression.

    ``triples`` are three rows each: no two classes can both hold two of the three. A class that
    holds two may be priced ``triple_prices`` higher than it costs.
    """

    per_row: NDArray[np.float64]  # (groups,)
    suppression: float = 0.0
    triples: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    triple_prices: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, slots=True)
class Proof:
    """What to count again. The levels of a node are in the order of the recoding's columns."""

    nodes: tuple[Node, ...]
    fingerprint: str  # of the counts that it is about: for another table it proves nothing
    by: By = By.NODES
    tree: CutTree | None = None
    prices: tuple[DualPrices, ...] = ()  # the first for all classes; the second for the remaining
    floor: tuple[Node, ...] = ()  # nodes from which the others are counted, if not all tuples are
    refuted: tuple[Node, ...] = ()  # nodes at which too many rows stand out
    boxes: BoxTree | None = None  # its citations are places in ``nodes``

    @property
    def basis(self) -> By:
        """What it rests on: a search without its tree has only the metric."""
        trees = {By.TREE: self.tree, By.BOXES: self.boxes}
        return By.NODES if trees.get(self.by, self.by) is None else self.by

    @property
    def size(self) -> int | None:
        """Nodes to count, or ends of the tree; None for a proof that is not counted in these."""
        if self.basis in SENTENCES:
            return None
        if self.basis is By.TREE and self.tree is not None:
            return self.tree.ends
        if self.basis is By.BOXES and self.boxes is not None:
            return self.boxes.ends
        return len(self.nodes) + len(self.refuted)

    def sentence(self) -> str:
        """The proof in a few words, to be read after "this is proved by"."""
        return proof_sentence(self.basis, self.size)


def proof_sentence(by: By, size: int | None) -> str:
    """A proof in a few words, from its kind and its number of nodes or ends."""
    if by in SENTENCES:
        return SENTENCES[by]
    if by in TREES:
        ends = "one end" if size == 1 else f"{size:,} ends, each"
        return TREES[by].format(ends)
    if not size:
        return "the metric alone, without counting"
    return "one counted node" if size == 1 else f"{size} counted nodes"
