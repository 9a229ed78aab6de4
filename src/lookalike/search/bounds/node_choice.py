"""Which node of the lattice to count next: the one whose count should settle most others."""

from __future__ import annotations

from lookalike.search.bounds.node_bounds import Lattice


def pick(
    lattice: Lattice, cost: float, *, turn: int, met: bool, allowance: int
) -> tuple[int, ...] | None:
    """The levels of an open node that could cost less than ``cost``; None if there is none.

    Go up from the most promising node to one above which nothing is open: if too many rows are
    suppressed there, all finer nodes are settled with it, and if not, they are dearer at least by
    what it suppresses. Cheap steps lead to good recodings, steep ones to boxes that soon close;
    when to take which was found by trying.
    """
    start = lattice.cheapest(cost)
    if start is None:
        return None
    if turn % 2 and not lattice.costing.prior_is_base:
        return lattice.levels(start)  # where costs come from classes, bounds come from below too
    steep = not met if allowance == 0 else turn % 2 == 0
    return lattice.levels(lattice.climb(start, cost, steep=steep))
