"""Branch and bound over boxes: an exact search of lattices of any size, with a bound at any time.

First large neighborhoods find a good node. Then targets rise: each is a bound as soon as every box
of the lattice is closed for it. The last target is the cost of the best node.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.bounds.node_bounds import below
from lookalike.search.lattice.boxes.clauses import Clauses
from lookalike.search.lattice.boxes.kernel_warmup import compile_boxes
from lookalike.search.lattice.boxes.neighborhoods import Neighborhoods
from lookalike.search.lattice.boxes.node_counts import NodeCounter
from lookalike.search.lattice.boxes.target_search import TargetSearch
from lookalike.search.run import Run
from lookalike.solution.proof import By
from lookalike.solution.recoding import Space

IDLE_ROUNDS = 60  # of the neighborhood search without success, before the first target
MORE_ROUNDS = 15  # the same before each later target
FIRST_STEP, LAST_STEP = 1 / 4, 1 / 64  # of the gap: how far a target is above the one before


@dataclass(frozen=True, slots=True)
class BranchAndBound(Algorithm):
    """Exact search for the cheapest full-domain recoding, for lattices of any size.

    It keeps no array of nodes. It divides the lattice into boxes, and closes a box as soon as a few
    counted nodes show that nothing in it can meet the policy at a cost below a target. It works
    with every requirement and every metric. It is fast for metrics that are sums over columns:
    loss, precision, entropy and height.

    Stopped at a limit, it returns the best node so far with the last target that it has proved.

    References
    ----------
    Land and Doig 1960. An automatic method of solving discrete programming problems.
    Chu and Stuckey 2009. Lazy clause generation reengineered (Ohrimenko, Stuckey, Codish 2009).

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.BranchAndBound())
    <Solution: optimal, full-domain, branch-and-bound, cost 0.333333>
    """

    name = "branch-and-bound"
    space = Space.FULL_DOMAIN
    promise = "Branch and bound finds a cheapest full-domain recoding and proves it."
    exact = True
    bounds_every_node = False

    def why_unsuitable(self, problem: Problem) -> str | None:
        return None

    def compile_kernels(self, problem: Problem) -> None:
        compile_boxes()

    def search(self, run: Run) -> None:
        counter = NodeCounter(run.problem, run.count_one)
        clauses = Clauses(len(run.problem.names))
        neighborhoods = Neighborhoods(run, counter)
        if neighborhoods.start():
            neighborhoods.search(IDLE_ROUNDS)
        step, spent = FIRST_STEP, run.checks
        while True:
            target = _next_target(run, step)
            before = run.checks
            search = TargetSearch(run, counter, clauses, target)
            search.prove()
            run.boxes = search.proof.finish()
            if _is_last(run, search.target):
                run.prove(below(run.cost), By.BOXES)
                return
            run.prove(run.problem.costing.value(search.target), By.BOXES)
            run.tell_bound()
            used, spent = run.checks - before, run.checks
            if used * 4 < spent:
                step = min(2 * step, 1.0)
            elif used * 2 > spent:
                step = max(step / 2, LAST_STEP)
            neighborhoods.search(MORE_ROUNDS)


def _is_last(run: Run, target: float) -> bool:
    """Is nothing left that could cost less than the best?"""
    return target >= run.problem.costing.score(below(run.cost))


def _next_target(run: Run, step: float) -> float:
    """A score between the bound and the best, by a share of the first gap; the best in the end."""
    problem = run.problem
    columns = np.arange(len(problem.names))
    prior = problem.costing.prior
    least = max(
        float(prior[columns, list(problem.low)].sum()), problem.costing.score(run.proved_bound)
    )
    most = problem.costing.score(below(run.cost))
    if not (math.isfinite(least) and math.isfinite(most)):
        return most
    first = float(prior[columns, list(problem.low)].sum())
    target = least + step * (most - first)
    return most if target > most - (most - first) * step / 4 else target
