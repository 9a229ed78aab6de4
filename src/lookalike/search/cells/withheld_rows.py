"""Rows held back until a secret node, so that the order of closing proves nothing about them.

Lattice greedy closes every class as soon as k rows look alike. An outsider who knows that learns
from a class that was closed late that its rows did not look alike earlier (Chhillar et al. 2025,
combinatorial refinement). Here a random share of the rows does not take part until a node that is
drawn for each of them. Any row may have been one of these, and any node may have been drawn.

*Nothing is certain.* Let a release be given, and a table of which every row fits its class: the
labels that the class shows cover the values of the row. Suppose that every row was held back, each
until the node at which its class was closed. Up to this node the rows of the class do not take
part; at this node they are all there, and look alike; no row of another class that is still open
takes part. So the same classes are closed at the same nodes, whatever the table. (The rows left
over are none or whole classes, so the rule on leftovers does not interfere.) A class shows the
labels of the node at which it was closed, so it shows the same, too. All this has a positive
probability. Hence every table that the release covers could have led to it: an attacker can guess,
but can rule out nothing that the labels themselves do not rule out.

The draws come from the operating system, not from the seed of the run, and are not kept.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple

import numpy as np

from lookalike.search.bounds.cell_layout import CellLayout, Whole


class WithheldRows(NamedTuple):
    """Groups of equal rows in pieces that take part from different nodes on."""

    group: Whole  # (pieces,)
    rows: Whole  # (pieces,)
    place: Whole  # (pieces,) of the first node at which the piece takes part, in visiting order

    def lay_out(self, layout: CellLayout) -> CellLayout:
        """The layout with a piece in place of each group."""
        return layout._replace(
            leaf=np.ascontiguousarray(layout.leaf[:, self.group]),
            rows=self.rows,
            full=layout.full[self.group],
        )


def secret_generator() -> np.random.Generator:
    """Random numbers that nobody can repeat: not from a seed."""
    return np.random.default_rng(secrets.randbits(256))


def withhold_rows(
    rows: Whole, share: float, nodes: int, random: np.random.Generator
) -> WithheldRows:
    """Hold back each row with probability ``share``, until a node drawn for it.

    All nodes are possible. The cheap ones, which come first, are more probable: the square of a
    uniform number is small, so rows held back join while classes are still cheap.
    """
    held = random.binomial(rows, share)
    group = np.repeat(np.arange(len(rows)), held)
    place = (nodes * random.random(len(group)) ** 2).astype(np.int64)
    key, count = np.unique(group * nodes + place, return_counts=True)
    pieces = WithheldRows(
        np.concatenate([np.arange(len(rows)), key // nodes]),
        np.concatenate([rows - held, count]).astype(np.int64),
        np.concatenate([np.zeros(len(rows), dtype=np.int64), key % nodes]),
    )
    return WithheldRows(*(array[pieces.rows > 0] for array in pieces))
