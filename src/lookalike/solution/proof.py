"""A proof that can be re-checked: what must be counted again to see that nothing is cheaper.

Nothing in it has to be believed. For full-domain recodings it is a list of nodes: whoever counts
them on the original table learns how many rows each suppresses, and with the metric's two-sided
bound (``cost/metric.py``) what every other node costs at least. If a node is left that could be
cheaper than the bound claimed, it is no proof. At cell level the kind of bound is named, and the
verifier works it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class By(StrEnum):
    """What a bound rests on."""

    NODES = "nodes"  # the counted nodes of the lattice; with none, what the metric alone tells
    SUPPORTED = "supported"  # each row pays at least its cheapest generalization that k rows share


@dataclass(frozen=True, slots=True)
class Proof:
    """Lattice nodes to count, finest to coarsest attribute by attribute as in the recoding."""

    nodes: tuple[tuple[int, ...], ...]
    fingerprint: str  # of the counts it speaks about: a proof for another table proves nothing
    by: By = By.NODES

    def sentence(self) -> str:
        if self.by is By.SUPPORTED:
            return "what each row pays at least, whichever k rows it is released with"
        return f"{len(self.nodes)} counted nodes"
