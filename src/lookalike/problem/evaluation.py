"""What is known about a recoding once it has been counted on a problem."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lookalike.cost.metric import NodeCost
from lookalike.solution.recoding import Recoding

NOTHING = NodeCost(math.inf, -math.inf, np.zeros((0, 0)))  # a node that bounds no other node


class NodeFacts(NamedTuple):  # quicker to make than a dataclass: there is one for every node
    """What a counted lattice node tells about other nodes."""

    finer_meet: bool  # may any finer node meet the policy? False closes the whole down-set
    cost: NodeCost  # its cost, and bounds on the cost of finer and coarser nodes
    lost: int = 0  # suppressed rows that every finer node suppresses too


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """One recoding, counted: does it meet the policy, and what does it cost?"""

    recoding: Recoding
    meets: bool  # may it be released?
    suppressed: int  # rows
    classes: int  # equivalence classes in the release
    cost: float
    node: NodeFacts | None = None  # for lattice nodes

    @property
    def levels(self) -> tuple[int, ...]:
        """The levels of a lattice node; only full-domain recodings have them."""
        levels = self.recoding.node
        if levels is None:
            raise ValueError(f"a {self.recoding.space.recoding} has no levels")
        return levels
