"""Branch and bound over boxes: an exact search of lattices of any size, with a bound at any time.

First large neighborhoods find a good node. Then targets rise: each is a bound as soon as every box
of the lattice is closed for it. The last target is the cost of the best node.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

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
FIRST_STEP, NEXT_STEP, LAST_STEP = 1 / 4, 1 / 8, 1 / 32  # of the first gap, between two targets
PATIENCE = 4  # times the counts so far: if a target takes more, a lower one is tried first
MIN_PATIENCE = 5_000  # counts


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
        least = proved = _least_score(run.problem)
        step = FIRST_STEP
        while True:
            target = _next_target(run, least, proved, step)
            search = TargetSearch(run, counter, clauses, target)
            before = run.checks
            most = max(MIN_PATIENCE, PATIENCE * before) if step > LAST_STEP else math.inf
            if not search.prove(most):
                step /= 2
                continue
            run.boxes = search.proof.finish()
            if _is_last(run, search.target):
                run.prove(below(run.cost), By.BOXES)
                _finest_of_equals(run)
                return
            run.prove(run.problem.costing.value(search.target), By.BOXES)
            run.tell_bound()
            proved = search.target
            step = min(step, NEXT_STEP)
            neighborhoods.search(MORE_ROUNDS)


def _finest_of_equals(run: Run) -> None:
    """Step down from the best node to finer nodes that cost the same."""
    best, stepped = run.best, True
    while best is not None and stepped:
        stepped = False
        for a, level in enumerate(best.levels):
            if level > run.problem.low[a]:
                evaluation = run.check((*best.levels[:a], level - 1, *best.levels[a + 1 :]))
                if evaluation.meets and below(evaluation.cost) <= best.cost:
                    best, stepped = evaluation, True
                    break
    if best is not None:
        run.settle(best, [best])


def _is_last(run: Run, target: float) -> bool:
    """Is nothing left that could cost less than the best?"""
    return target >= run.problem.costing.score(below(run.cost))


def _least_score(problem: Problem) -> float:
    """The score of the lowest node, before counting: no node has less."""
    prior = problem.costing.prior
    return float(sum(prior[a, level] for a, level in enumerate(problem.low)))


def _next_target(run: Run, least: float, proved: float, step: float) -> float:
    """A step of the first gap above the score that is proved; in the end, the score of the best."""
    most = run.problem.costing.score(below(run.cost))
    if not (math.isfinite(least) and math.isfinite(most)):
        return most
    target = proved + step * (most - least)
    return most if target > most - (most - least) * step / 4 else target
