"""Flash: an exact search of the full-domain lattice, after Kohlmayer, Prasser et al. (2012).

Like the original, it walks chains of nodes from fine to coarse. Unlike the original, it prunes by a
two-sided bound: what a coarser node cannot undo and what a finer node cannot save
(``cost/metric.py``). So one count in the right place decides whole boxes of the lattice, with and
without suppression.
"""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.bounds.node_bounds import MAX_NODES, below
from lookalike.search.bounds.node_choice import count_open_nodes
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class Flash(Algorithm):
    """Exact search for the cheapest full-domain recoding: one level for each column.

    It works with every requirement and every metric. It rests on the two halves of the bound that
    each metric file proves, and on what each requirement says about finer nodes; where a
    requirement says nothing, nodes are counted one by one. The search ends when no open node can
    cost less than the best: then the counted nodes are the proof.

    References
    ----------
    Kohlmayer, Prasser, Eckert, Kemper and Kuhn 2012. Flash: efficient, stable and optimal
    k-anonymity.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.Flash())
    <Solution: optimal, full-domain, flash, cost 0.333333>
    """

    name = "flash"
    space = Space.FULL_DOMAIN
    promise = "Flash finds a cheapest full-domain recoding and proves it."
    exact = True
    out_of_core = True

    def why_unsuitable(self, problem: Problem) -> str | None:
        if problem.nodes > MAX_NODES:
            return (
                f"the lattice has {problem.nodes:,} nodes, more than the {MAX_NODES:,} that fit in "
                "memory; limit the levels of some columns, or use branch-and-bound"
            )
        return None

    def search(self, run: Run) -> None:
        count_open_nodes(run)
        _finest_of_equals(run)


def _finest_of_equals(run: Run) -> None:
    """Step down from the best node to finer nodes that cost the same."""
    best, lattice = run.best, run.lattice
    if best is None:
        return
    assert lattice is not None
    stepped = True
    while stepped:
        stepped = False
        for a, level in enumerate(best.levels):
            node = (*best.levels[:a], level - 1, *best.levels[a + 1 :])
            if level > run.problem.low[a] and (
                node in run.counted or lattice.may_cost(node, best.cost)
            ):
                evaluation = run.check(node)
                if evaluation.meets and below(evaluation.cost) <= best.cost:
                    best, stepped = evaluation, True
                    break
    run.settle(best, [best])
