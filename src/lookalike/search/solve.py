"""Solve a problem: run an algorithm, and turn what the run has learned into a claim."""

from __future__ import annotations

import math

from lookalike.errors import Fault, NotSuited
from lookalike.events import Finished, Observer, Started, silent
from lookalike.problem.argument_checks import check_problem
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.auto_choice import choose, named
from lookalike.search.bounds.node_bounds import below
from lookalike.search.bounds.witness import proof_nodes
from lookalike.search.jit_warmup import compile_search
from lookalike.search.limits import Limits, check_limits
from lookalike.search.option_checks import check_whole
from lookalike.search.run import Run, Stopped
from lookalike.search.suitability import suggested_fix, why_unsuitable
from lookalike.solution.proof import PRICED, By, Proof
from lookalike.solution.recoding import Levels, Space
from lookalike.solution.solution import AS_ASKED, Solution, Status, Stop, TracePoint


def solve(
    problem: Problem,
    by: Algorithm | str | None = None,
    limits: Limits | None = None,
    observer: Observer = silent,
    seed: int = 0,
) -> Solution:
    """Search for the recoding of least cost that meets the policy.

    A limit, or Ctrl-C, ends the search with the best recoding so far and the bound proved so far.

    Parameters
    ----------
    problem : Problem
        From ``la.prepare``.
    by : Algorithm or str, optional
        The algorithm, or its name with options, for example ``"mondrian"``. By default, lookalike
        chooses one that suits the problem.
    limits : Limits, optional
        When to stop.
    observer : callable
        Is called with every event of the search.
    seed : int
        For randomized algorithms.

    Returns
    -------
    Solution
        The best recoding found, its cost and a lower bound.

    Raises
    ------
    NotSuited
        If the algorithm cannot work on this problem.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> table = pa.table({"age": [31, 34, 58, 57]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10)}, require=la.KAnonymity(2))
    >>> la.solve(la.prepare(table, policy))
    <Solution: optimal, full-domain, flash, cost 0.5>
    """
    check_problem(problem)
    check_limits(limits)
    check_whole("seed", seed)
    asked = named(by)
    algorithm, why = (asked, AS_ASKED) if asked is not None else choose(problem)
    check_suited(algorithm, problem)
    compile_search(algorithm, problem, observer)
    run = Run(problem, limits or Limits(), observer, seed, algorithm.space,
              bounds_every_node=algorithm.bounds_every_node)  # fmt: skip
    observer(Started(algorithm.name, problem.nodes, problem.groups, why))
    try:
        algorithm.search(run)
        if algorithm.space is Space.CELL_LEVEL and run.proved_by is By.NODES:
            run.searched = run.seconds
            from lookalike.search.bounds.cell_bound import prove_cell_bound

            prove_cell_bound(run)
    except Stopped:
        pass
    except (KeyboardInterrupt, SystemError) as error:
        if not _is_interrupt(error):
            raise
        run.stop = Stop.INTERRUPTED
    solution = _claim(run, algorithm, why)
    observer(
        Finished(solution.seconds, solution.checks, solution.status, solution.stop,
                 solution.cost, solution.bound)
    )  # fmt: skip
    return solution


def _is_interrupt(error: BaseException) -> bool:
    """Is it Ctrl-C? While compiled code returns, it becomes the cause of a SystemError."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__
    return cause is not None


def check_suited(algorithm: Algorithm, problem: Problem) -> None:
    """NotSuited if the algorithm cannot work on this problem."""
    refusal = why_unsuitable(algorithm, problem)
    if refusal is not None:
        raise NotSuited(Fault(algorithm.name, refusal, suggested_fix(refusal)))


def _claim(run: Run, algorithm: Algorithm, why: str) -> Solution:
    problem = run.problem
    bound = run.bound()
    best = run.best or run.answer
    if best is None and algorithm.space is Space.CELL_LEVEL and _too_many_alone(problem):
        bound = math.inf
    if best is None:
        status = Status.INFEASIBLE if math.isinf(bound) else Status.UNKNOWN
    elif run.best is None:
        status, bound = Status.UNMET, run.proved_bound
    elif bound >= below(best.cost):
        status, bound = Status.OPTIMAL, best.cost
    else:
        status = Status.FEASIBLE
    cost = _rounded(best.cost) if best else None
    nodes, floor = proof_nodes(run)
    boxes = None
    if run.proved_by is By.BOXES and run.boxes is not None:
        nodes, boxes = run.boxes
    problem.release_memory()
    bound = _rounded(bound)
    return Solution(
        status=status,
        stop=run.stop,
        space=algorithm.space,
        metric=problem.policy.metric.name,
        algorithm=algorithm.name,
        recoding=best.recoding if best else None,
        rows=problem.rows,
        suppressed=best.suppressed if best else 0,
        classes=best.classes if best else 0,
        cost=cost,
        bound=bound,
        proof=Proof(
            nodes,
            problem.fingerprint,
            run.proved_by,
            run.tree() if run.tree else None,
            run.prices if run.proved_by in PRICED else (),
            floor.nodes,
            floor.refuted,
            boxes,
        ),
        alternatives=tuple(Levels(problem.names, node) for node in run.alternatives),
        why=why,
        promise=algorithm.guarantee(problem) if run.stop is Stop.FINISHED else "",
        seed=run.seed,
        checks=run.checks,
        seconds=run.searched or run.seconds,
        trace=(*run.trace, TracePoint(run.seconds, run.checks, cost, bound)),
    )


def _too_many_alone(problem: Problem) -> bool:
    """Do more rows than may be suppressed have fewer than k − 1 lookalikes at the coarsest levels?

    Rows of a class also share the labels of those levels, so such rows cannot be in a class. This
    does not hold for models that star single cells, which may go beyond the coarsest level, nor for
    several sets.
    """
    model, conventions = problem.policy.model, problem.policy.conventions
    return (
        conventions.stars != "wildcard"  # fully starred rows need no lookalikes
        and problem.one_set
        and (model is None or model.suppress != "cell")
        and not problem.may_suppress(problem.evaluate_node(problem.high).suppressed)
    )


def _rounded(cost: float) -> float:
    """Twelve digits; the rest depends on the order in which an engine lists the groups."""
    return float(f"{cost:.12g}")
