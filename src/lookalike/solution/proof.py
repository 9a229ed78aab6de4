"""A proof that can be re-checked: the nodes whose counts alone show that nothing is cheaper.

Nothing in it has to be believed. Whoever counts these nodes on the original table learns how many
rows each suppresses, and with the metric's two-sided bound (``cost/metric.py``) what every other
node costs at least. If a node is left that could be cheaper than the bound claimed, it is no proof.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Proof:
    """Lattice nodes to count, finest to coarsest attribute by attribute as in the recoding."""

    nodes: tuple[tuple[int, ...], ...]
    fingerprint: str  # of the counts it speaks about: a proof for another table proves nothing
