"""Compile what a run needs before its clock starts, by searching a problem of eight rows.

The first run on a machine compiles for some seconds. That time must not count as the algorithm's
own, and must not use up its limits. An event says that code is being compiled.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from lookalike.counts.frequency_set import FrequencySet
from lookalike.events import Compiling, Observer, silent
from lookalike.policy.hierarchies.flat import flat
from lookalike.policy.hierarchy import Hierarchy
from lookalike.policy.policy import Policy
from lookalike.privacy.k_anonymity import KAnonymity
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.bounds.node_choice import count_open_nodes
from lookalike.search.limits import Limits
from lookalike.search.run import Run
from lookalike.solution.recoding import Space

_used: set[tuple[type, ...]] = set()  # kinds of searches, metrics and requirements


def compile_search(algorithm: Algorithm, problem: Problem, observer: Observer) -> None:
    """Compile what a search of this problem needs, or load it; the first time, an event says so."""
    policy = problem.policy
    use = (type(algorithm), type(policy.metric), *map(type, policy.require))
    first = use not in _used
    if first:
        observer(Compiling(algorithm.name))
    algorithm.compile_kernels(problem)
    if first:
        _bound_small_problem(algorithm.space)
        problem.judge(problem.high, problem.classes(problem.high))  # any node, and then forgotten
    _used.add(use)
    if algorithm.space is Space.CELL_LEVEL:
        from lookalike.search.bounds.support_bound import MAX_SCANNED_GROUPS  # late: loads more

        if problem.nodes * problem.groups > MAX_SCANNED_GROUPS:
            _bound_small_problem_by_rows()


@cache
def _bound_small_problem(space: Space) -> None:
    run = Run(small_problem(), Limits(), silent, 0, space)
    if space is Space.CELL_LEVEL:
        from lookalike.search.bounds.cell_bound import prove_cell_bound  # late: loads more

        prove_cell_bound(run)
    elif space is Space.FULL_DOMAIN:
        count_open_nodes(run)


@cache
def _bound_small_problem_by_rows() -> None:
    from lookalike.search.bounds.cell_layout import lay_out  # late: loads more
    from lookalike.search.bounds.nearest_rows import prove_nearest_rows

    problem = small_problem()
    layout = lay_out(problem).take(problem.canonical)
    prove_nearest_rows(Run(problem, Limits(), silent, 0, Space.CELL_LEVEL), layout)


@cache
def search_small_problem(
    kind: type[Algorithm], metric: str = "precision", *, in_order: bool = False
) -> None:
    """Once per process, with the default options: the caller's may name columns of the table."""
    algorithm = kind()
    run = Run(small_problem(metric, in_order=in_order), Limits(), silent, 0, algorithm.space)
    algorithm.search(run)


def small_problem(metric: str = "precision", *, in_order: bool = False) -> Problem:
    """Two columns and k = 2; with ``in_order`` the values have an order."""
    values = (("x", "y", "z"), ("x", "y"))
    columns: dict[str, Hierarchy] = dict.fromkeys("ab", flat())
    if in_order:
        from lookalike.policy.hierarchies.ordered import ordered  # late: few searches need it

        columns = {name: ordered(own) for name, own in zip("ab", values, strict=True)}
    policy = Policy(quasi_identifiers=columns, require=KAnonymity(2), metric=metric)
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]], dtype=np.int32)
    counts = FrequencySet(("a", "b"), values, codes, np.array([2, 1, 1, 3, 1], dtype=np.int64))
    tables = [columns[name].tabulate(name, own) for name, own in zip("ab", values, strict=True)]
    return Problem(policy, counts, tables)
