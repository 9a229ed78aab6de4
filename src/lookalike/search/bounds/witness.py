"""The nodes of a proof: which of the counted lattice nodes prove the bound.

This runs after the search, so it ends at the limits of the search too: then the proof is all the
nodes that were counted.
"""

from __future__ import annotations

from lookalike.counts.remote_counts import Node
from lookalike.problem.problem import Problem, ProofFloor
from lookalike.search.bounds.node_bounds import Lattice, below
from lookalike.search.bounds.node_choice import next_node
from lookalike.search.run import Run
from lookalike.solution.solution import Stop

MAX_NODES = 2_000  # that the verifier counts quickly


def proof_nodes(run: Run) -> tuple[tuple[Node, ...], ProofFloor]:
    """The nodes of the proof, and the counts on the engine that they rest on.

    The bound of a stopped search rests on all counts, so then nothing is dropped.
    """
    counted = tuple(sorted(run.counted))
    if run.problem.holds_all_tuples:
        return _witnesses(run) or counted, ProofFloor()
    floor = _floor(run)
    return tuple(filter(floor.serves, counted)), floor


def _floor(run: Run) -> ProofFloor:
    proved = run.lattice is not None and run.lattice.bound(run.cost) >= below(run.cost)
    finished = run.stop is Stop.FINISHED and proved
    try:
        return run.problem.proof_floor(lambda less: finished and _settles(run, less))
    except KeyboardInterrupt:
        return run.problem.proof_floor(lambda less: False)


def _settles(run: Run, problem: Problem) -> bool:
    """Is the best recoding still proved with only the counts of this problem? No, after a limit."""
    if run.best_node is not None and not problem.is_known(run.best_node):
        return False
    lattice = Lattice(problem)
    for node in filter(problem.is_known, run.counted):
        if run.limit_reached(counting=False) is not None:
            return False
        lattice.learn(problem.evaluate_node(node))
    return lattice.bound(run.cost) >= below(run.cost)


def _witnesses(run: Run) -> tuple[Node, ...] | None:
    """If many nodes are counted, those that an exact search would have counted; None for all.

    An exhaustive search counts many more nodes than a proof needs. The best cost is known, so nodes
    that settle all others are chosen from the counted ones, and nothing is counted again.
    """
    if len(run.counted) <= MAX_NODES or run.lattice is None or run.stop is not Stop.FINISHED:
        return None
    try:
        return _replayed(run, Lattice(run.problem))
    except KeyboardInterrupt:
        return None


def _replayed(run: Run, lattice: Lattice) -> tuple[Node, ...] | None:
    """The nodes of an exact search that knows the best cost; None if they were not all counted."""
    needed = [run.best_node] if run.best_node is not None else []
    turn, met = 0, True
    while run.limit_reached(counting=False) is None:
        node = next_node(lattice, run.cost, turn=turn, met=met, allowance=run.problem.allowance)
        if node is None:
            return tuple(sorted(set(needed)))
        if node not in run.counted:
            return None
        evaluation = run.counted[node]
        needed.append(node)
        lattice.learn(evaluation)
        turn, met = turn + 1, evaluation.meets
    return None
