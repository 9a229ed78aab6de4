"""A problem of eight rows, searched before a run's clock starts so that its kernels are compiled.

The first run on a machine compiles for some seconds. That time must not count as the algorithm's
own, and must not use up its limits.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from lookalike.counts.frequency_set import FrequencySet
from lookalike.events import silent
from lookalike.policy.hierarchies.flat import flat
from lookalike.policy.hierarchies.ordered import ordered
from lookalike.policy.policy import Policy
from lookalike.privacy.k_anonymity import KAnonymity
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.bounds.support_bound import prove_support_bound
from lookalike.search.limits import Limits
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@cache
def search_small_problem(
    kind: type[Algorithm], metric: str = "precision", *, in_order: bool = False
) -> None:
    """Once per process, with the default options: the caller's may name columns of the table."""
    algorithm = kind()
    run = Run(small_problem(metric, in_order=in_order), Limits(), silent, 0, algorithm.space)
    algorithm.search(run)
    if algorithm.space is Space.CELL_LEVEL:
        prove_support_bound(run)


def small_problem(metric: str = "precision", *, in_order: bool = False) -> Problem:
    """Two columns and k = 2; with ``in_order`` the values have an order."""
    values = (("x", "y", "z"), ("x", "y"))
    columns = {
        name: ordered(own) if in_order else flat() for name, own in zip("ab", values, strict=True)
    }
    policy = Policy(quasi_identifiers=columns, require=KAnonymity(2), metric=metric)
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]], dtype=np.int32)
    counts = FrequencySet(("a", "b"), values, codes, np.array([2, 1, 1, 3, 1], dtype=np.int64))
    tables = [columns[name].tabulate(name, own) for name, own in zip("ab", values, strict=True)]
    return Problem(policy, counts, tables)
