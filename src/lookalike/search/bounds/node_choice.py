"""The choice of the lattice node to count next: one that should settle many others."""

from __future__ import annotations

from lookalike.search.bounds.node_bounds import Climb, Lattice
from lookalike.search.run import Run


def count_open_nodes(run: Run) -> None:
    """Count nodes until no open node could be cheaper than the best: then that is proved."""
    assert run.lattice is not None
    met, allowance = True, run.problem.allowance
    while node := next_node(run.lattice, run.cost, turn=run.checks, met=met, allowance=allowance):
        met = run.check(run.problem.node_to_count(node, run.counted)).meets


def next_node(
    lattice: Lattice, cost: float, *, turn: int, met: bool, allowance: int
) -> tuple[int, ...] | None:
    """The levels of an open node that could cost less than ``cost``; None if there is none.

    It climbs from the most promising node to a node above which nothing is open. If that node
    suppresses too many rows, all finer nodes are ruled out with it. If not, what it suppresses
    raises their bounds. Cheap steps lead to good recodings, and steep steps to boxes that soon
    close; experiments decided when to take which.
    """
    if turn % 2 and not lattice.costing.prior_is_base:
        climb = Climb.NOT  # if costs depend on classes, finer nodes raise bounds too
    else:
        steep = not met if allowance == 0 else turn % 2 == 0
        climb = Climb.STEEP if steep else Climb.CHEAP
    index = lattice.open_node(cost, climb)
    return None if index is None else lattice.levels(index)
