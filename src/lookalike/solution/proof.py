"""A proof that can be re-checked: what must be counted again to see that nothing is cheaper.

Nothing in it has to be believed. For full-domain recodings it is a list of nodes: whoever counts
them on the original table learns how many rows each suppresses, and with the metric's two-sided
bound (``cost/metric.py``) what every other node costs at least. If a node is left that could be
cheaper than the bound claimed, it is no proof. For cuts it is the tree of a search, to be walked
again. At cell level the kind of bound is named, and the verifier works it out, from charges if
there are any.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray


class By(StrEnum):
    """What a bound rests on."""

    NODES = "nodes"  # the counted nodes of the lattice; with none, what the metric alone tells
    SUPPORTED = "supported"  # each row pays at least its cheapest generalization that k rows share
    CHARGED = "charged"  # no k rows or more are charged more than they cost when released alike
    EXHAUSTED = "exhausted"  # and of all classes that come near it, no choice is cheaper
    TREE = "tree"  # a tree of cuts, every end of which is closed by a bound


NEXT, CLOSED, LEFT, BRANCH = -1, -2, -3, -16


@dataclass(frozen=True, slots=True, eq=False)
class CutTree:
    """A search over cuts, written down in preorder, for whoever wants to walk it again.

    Cuts are numbered column by column, from a column's first place on, without the column ``long``,
    whose cuts are left to dynamic programming. At each node: cuts found not worth making (their
    numbers), ``NEXT`` before more of them that follow from looking again without the first;
    then ``CLOSED``, or ``LEFT`` open, or ``BRANCH`` − cut, followed by the node where that cut is
    made and the node where it is not.
    """

    long: str
    marks: NDArray[np.int16]
    asked: str = ""  # a digest of table and policy, by which a search knows its own tree again
    below: float = math.inf  # the search had looked for recodings cheaper than this only

    @property
    def ends(self) -> int:
        """Nodes where it does not branch."""
        return int(((self.marks == CLOSED) | (self.marks == LEFT)).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Charges:
    """What each row is charged, so that no class is charged more than it costs.

    ``each`` is for one row of every group, in canonical order; ``out`` is what leaving a row out
    costs beyond its own price, where the policy limits how many may be.

    ``threes`` are rows of which no two classes can each hold two. Such a class may be charged
    ``more`` beyond what it costs, once for each of its threes.
    """

    each: NDArray[np.float64]  # (groups,)
    out: float = 0.0
    threes: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    more: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, slots=True)
class Proof:
    """Lattice nodes to count, finest to coarsest attribute by attribute as in the recoding."""

    nodes: tuple[tuple[int, ...], ...]
    fingerprint: str  # of the counts it speaks about: a proof for another table proves nothing
    by: By = By.NODES
    tree: CutTree | None = None
    charges: tuple[Charges, ...] = ()  # the first for all classes; others for those left by it
    floor: tuple[tuple[int, ...], ...] = ()  # nodes from which the others are counted, if not all
    refuted: tuple[tuple[int, ...], ...] = ()  # others, where too many rows stand out

    def sentence(self) -> str:
        if self.by is By.SUPPORTED:
            return "what each row pays at least, whichever k rows it is released with"
        if self.by is By.CHARGED:
            return "charges to the rows, by which no class is charged more than it costs"
        if self.by is By.EXHAUSTED:
            return "charges to the rows, and all classes that come near them chosen from again"
        if self.by is By.TREE and self.tree is not None:
            ends = "one end" if self.tree.ends == 1 else f"{self.tree.ends:,} ends, each"
            return f"a tree of cuts with {ends} closed by a bound"
        if not self.nodes and not self.refuted:
            return "the metric alone, with nothing counted"
        counted = len(self.nodes) + len(self.refuted)
        return "one counted node" if counted == 1 else f"{counted} counted nodes"
