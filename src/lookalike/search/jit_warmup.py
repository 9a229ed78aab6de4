"""Compiled code is loaded, or compiled, before a run's clock starts: on a problem of eight rows.

The first run on a machine compiles for some seconds, which must count neither as the algorithm's
time nor against its limits.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from lookalike.counts.frequency_set import FrequencySet
from lookalike.events import silent
from lookalike.policy.hierarchies.flat import flat
from lookalike.policy.hierarchies.ordered import ordered
from lookalike.policy.policy import Policy
from lookalike.privacy.k_anonymity import KAnonymity
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.bounds.support_bound import prove_supported
from lookalike.search.cuts.cut_suitability import BY_ROW
from lookalike.search.cuts.greedy_descent import descend
from lookalike.search.cuts.k_optimize import Tree, explore_below
from lookalike.search.cuts.k_optimize_layout import lay_out, wide_enough
from lookalike.search.cuts.loss.branch_and_bound import LossSearch
from lookalike.search.cuts.loss.layout import lay_out_losses
from lookalike.search.limits import Limits
from lookalike.search.run import Run
from lookalike.solution.recoding import Space

COMPILED = {
    "lattice-greedy", "mondrian", "mu-argus", "ungeneralize", "star-cells", "meyerson-williams",
    "k-member", "mdav",
}  # fmt: skip
_warm: set[str] = set()


def warm(algorithm: Algorithm, problem: Problem) -> None:
    """Once a process: search a small problem, and forget the outcome."""
    if algorithm.space is Space.CUTS and problem.policy.metric.name in BY_ROW:
        _warm_losses()
    elif algorithm.space is Space.CUTS:
        _warm_cuts(problem.rows)
    elif algorithm.name in COMPILED - _warm:
        run = Run(_small(), Limits(), silent, 0, Space.CELL_LEVEL)
        type(algorithm)().search(run)  # with its defaults: the options are for the real table
        prove_supported(run)
        _warm.add(algorithm.name)


def _warm_cuts(rows: int) -> None:
    """Large tables need wider numbers, and code of their own for them."""
    kind = wide_enough(rows)
    if kind.__name__ not in _warm:
        small = lay_out(_small())
        instance = replace(small, cost=small.cost.astype(kind), least=small.least.astype(kind))
        for _ in descend(instance):
            pass
        tree = Tree(instance)
        explore_below(instance, tree.queue[0][2], 65, np.zeros(1, dtype=np.int64))
        _warm.add(kind.__name__)


def _warm_losses() -> None:
    """With fewer rows to suppress than would be cheapest, so that they have to be counted."""
    if "losses" not in _warm:
        columns = {"a": ordered(("x", "y", "z")), "b": ordered(("x", "y"))}
        policy = Policy(quasi_identifiers=columns, require=KAnonymity(2), metric="loss")
        counts = _small().counts
        tables = [
            columns[name].tabulate(name, own) for name, own in zip("ab", counts.values, strict=True)
        ]
        problem = Problem(policy, counts, tables)
        run = Run(problem, Limits(), silent, 0, Space.CUTS)
        LossSearch(lay_out_losses(problem), run, "", math.inf).explore()
        _warm.add("losses")


def _small() -> Problem:
    policy = Policy(quasi_identifiers={"a": flat(), "b": flat()}, require=KAnonymity(2))
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]], dtype=np.int32)
    values = (("x", "y", "z"), ("x", "y"))
    counts = FrequencySet(("a", "b"), values, codes, np.array([2, 1, 1, 3, 1], dtype=np.int64))
    tables = [flat().tabulate(name, own) for name, own in zip("ab", values, strict=True)]
    return Problem(policy, counts, tables)
