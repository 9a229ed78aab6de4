"""Which of the counted nodes make the proof."""

from __future__ import annotations

from lookalike.counts.remote_counts import Node
from lookalike.problem.out_of_core import OutOfCoreProblem
from lookalike.problem.problem import Evaluation
from lookalike.search.bounds.node_bounds import Lattice, below
from lookalike.search.bounds.node_choice import pick
from lookalike.search.run import Run

FEW = 2_000  # so many are re-counted quickly


def needed(run: Run) -> tuple[tuple[Node, ...], tuple[Node, ...], tuple[Node, ...]]:
    """The nodes of the proof; those from which they are counted, if that is not all tuples; and
    those at which only the rows that stand out were counted.

    Each of the latter two has to be counted on the engine again to check the proof, so those go,
    the largest first, that it can do without.
    """
    problem = run.problem
    if not isinstance(problem, OutOfCoreProblem):
        return witnesses(run), (), ()
    floor, refuted = problem.laid, tuple(sorted(problem.refuted))
    nodes = tuple(sorted(node for node in run.counted if problem.is_above(node)))
    if run.lattice is None or run.lattice.bound() < below(run.cost):
        return nodes, floor, refuted  # stopped: its bound rests on all it has
    for node in refuted:
        rest = tuple(one for one in refuted if one != node)
        if _settled(run, problem.only(floor, rest)):
            refuted = rest
    for base, _ in sorted(problem.floor_nodes, key=lambda one: -one[1].problem.groups):
        rest = tuple(one for one in floor if one != base)
        if rest and _settled(run, problem.only(rest, refuted)):
            floor = rest
    above = problem.only(floor)
    return tuple(node for node in nodes if above.is_above(node)), floor, refuted


def _settled(run: Run, problem: OutOfCoreProblem) -> bool:
    """Is the best still the best, for all that can be counted from this floor?"""
    if isinstance(run.best, Evaluation) and not problem.is_above(run.best.levels):
        return False
    lattice = Lattice(problem)
    for node in run.counted:
        if problem.is_known(node):
            lattice.learn(problem.evaluate(node))
    return lattice.bound() >= below(run.cost)


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
