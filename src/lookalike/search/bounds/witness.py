"""The nodes of a proof: which of the counted lattice nodes prove the bound."""

from __future__ import annotations

from lookalike.counts.remote_counts import Node
from lookalike.problem.problem import Problem, ProofFloor
from lookalike.search.bounds.node_bounds import Lattice, below
from lookalike.search.bounds.node_choice import next_node
from lookalike.search.run import Run

MAX_NODES = 2_000  # that the verifier counts quickly


def proof_nodes(run: Run) -> tuple[tuple[Node, ...], ProofFloor]:
    """The nodes of the proof, and the counts on the engine that they rest on."""
    problem = run.problem
    if problem.holds_all_tuples:
        return _witnesses(run), ProofFloor()
    # The bound of a stopped search rests on all counts: then nothing may be dropped.
    finished = run.lattice is not None and run.lattice.bound() >= below(run.cost)
    floor = problem.proof_floor(lambda less: finished and _settles(run, less))
    return tuple(sorted(filter(floor.serves, run.counted))), floor


def _settles(run: Run, problem: Problem) -> bool:
    """Is the best recoding still proved with only the counts of this problem?"""
    if run.best_node is not None and not problem.is_known(run.best_node):
        return False
    lattice = Lattice(problem)
    for node in filter(problem.is_known, run.counted):
        lattice.learn(problem.evaluate_node(node))
    return lattice.bound() >= below(run.cost)


def _witnesses(run: Run) -> tuple[Node, ...]:
    """All counted nodes if they are few; otherwise those that an exact search would have counted.

    An exhaustive search counts many more nodes than a proof needs. The best cost is known, so nodes
    that settle all others are chosen from the counted ones, and nothing is counted again.
    """
    if len(run.counted) <= MAX_NODES or run.lattice is None:
        return tuple(sorted(run.counted))
    lattice = Lattice(run.problem)
    needed = [run.best_node] if run.best_node is not None else []
    turn, met = 0, True
    while True:
        node = next_node(lattice, run.cost, turn=turn, met=met, allowance=run.problem.allowance)
        if node is None:
            return tuple(sorted(set(needed)))
        if node not in run.counted:  # the search was stopped: its bound rests on all nodes
            return tuple(sorted(run.counted))
        evaluation = run.counted[node]
        needed.append(node)
        lattice.learn(evaluation)
        turn, met = turn + 1, evaluation.meets
