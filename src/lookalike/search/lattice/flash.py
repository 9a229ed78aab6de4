"""Flash: the exact search of the full-domain lattice, after Kohlmayer, Prasser et al. (2012).

As theirs it walks chains from fine to coarse. Unlike theirs it prunes by a two-sided bound: what a
coarser node cannot undo and what a finer one cannot save (``cost/metric.py``), so one count in the
right place settles whole boxes of the lattice, with suppression as without.
"""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.bounds.node_bounds import LARGEST, Lattice, below
from lookalike.search.bounds.node_choice import pick
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class Flash(Algorithm):
    """Exact for every requirement and every metric, over the full-domain space.

    Rests on the two halves of the bound that each metric file argues, and on what each requirement
    says of finer nodes (``privacy/requirement.py``): where it says nothing, nodes are counted one
    by one. Ends when no open node could
    be cheaper than the best: then the counted nodes are the proof.
    """

    name = "flash"
    space = Space.FULL_DOMAIN
    promise = "Flash finds a cheapest full-domain recoding and proves it."
    exact = True
    out_of_core = True

    def why_unsuitable(self, problem: Problem) -> str | None:
        if problem.nodes > LARGEST:
            return (
                f"the lattice has {problem.nodes:,} nodes, more than the {LARGEST:,} that fit in "
                "memory; bound the levels of some columns, or use Datafly"
            )
        return None

    def search(self, run: Run) -> None:
        lattice = run.lattice
        assert lattice is not None  # why_unsuitable() has seen to it
        allowance = run.problem.allowance
        met = True
        while node := pick(lattice, run.cost, turn=run.checks, met=met, allowance=allowance):
            met = run.check(run.problem.node_to_count(node, run.counted)).meets
        _finest_of_equals(run, lattice)


def _finest_of_equals(run: Run, lattice: Lattice) -> None:
    """Step down from the best node while that costs nothing: no column is coarsened in vain."""
    best = run.best
    if best is None:
        return
    stepped = True
    while stepped:
        stepped = False
        for a, level in enumerate(best.levels):
            node = (*best.levels[:a], level - 1, *best.levels[a + 1 :])
            if level > run.problem.low[a] and (
                node in run.counted or lattice.may_cost(node, best.cost)
            ):
                found = run.check(node)
                if found.meets and below(found.cost) <= best.cost:
                    best, stepped = found, True
                    break
    run.settle(best, [best])
