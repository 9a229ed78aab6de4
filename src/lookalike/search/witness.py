"""Which of the counted nodes make the proof."""

from __future__ import annotations

from lookalike.problem.problem import Evaluation
from lookalike.search.lattice import Lattice
from lookalike.search.pick import pick
from lookalike.search.run import Run

FEW = 2_000  # so many are re-counted quickly


def witnesses(run: Run) -> tuple[tuple[int, ...], ...]:
    """All of them, if they are few; else those that an exact search would have asked for.

    An exhaustive search counts far more nodes than a proof needs. Knowing the best cost, the nodes
    that settle all others are picked from what was counted, without counting anything again.
    """
    if len(run.counted) <= FEW or run.lattice is None:
        return tuple(sorted(run.counted))
    lattice = Lattice(run.problem)
    needed = [run.best.levels] if isinstance(run.best, Evaluation) else []
    turn, met = 0, True
    while True:
        node = pick(lattice, run.cost, turn=turn, met=met, allowance=run.problem.allowance)
        if node is None:
            return tuple(sorted(set(needed)))
        if node not in run.counted:  # the search was stopped: its bound rests on all it has
            return tuple(sorted(run.counted))
        found = run.counted[node]
        needed.append(node)
        lattice.learn(found)
        turn, met = turn + 1, found.meets
