"""Incognito: every full-domain recoding that meets k, column set by column set.

LeFevre, DeWitt and Ramakrishnan 2005. If rows already stand out over some of the columns, they do
over all of them (subset property): so nodes are settled for single columns first, then for pairs,
and of a larger set only those whose every part has passed are looked at.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.errors import Fault, NotSuited
from lookalike.events import silent
from lookalike.problem.argument_checks import check_problem
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.algorithm_options import flag
from lookalike.search.lattice.monotonicity import not_monotone
from lookalike.search.limits import Limits
from lookalike.search.option_checks import check_flag
from lookalike.search.run import Run
from lookalike.solution.recoding import Levels, Space

LARGEST = 2_000_000  # nodes of the lattice of all columns

Flags = NDArray[np.bool_]  # one a node of the lattice of some columns


@dataclass(frozen=True, slots=True)
class Incognito(Algorithm):
    """Exact: finds all nodes that meet the policy, then lets the metric pick the cheapest.

    Rests on monotony, upwards (generalization property) and over column sets (subset property);
    with a suppression threshold both hold too. A node is counted from a finer one where there is
    one (roll-up); with ``super_roots`` the lowest nodes of a column set are counted from the finest
    node below all of them, instead of each from the table.
    """

    super_roots: bool = True
    name = "incognito"
    space = Space.FULL_DOMAIN
    options = (flag("basic", "super_roots", False),)
    promise = (
        "Incognito finds every full-domain recoding that meets the policy, so also the cheapest."
    )
    exact = True

    def __post_init__(self) -> None:
        check_flag("Incognito(super_roots=...)", self.super_roots)

    def why_unsuitable(self, problem: Problem) -> str | None:
        if problem.nodes > LARGEST:
            return f"the lattice has {problem.nodes:,} nodes, too many to settle every one"
        return not_monotone(problem)

    def search(self, run: Run) -> None:
        problem = run.problem
        columns = tuple(range(len(problem.names)))
        passed: dict[tuple[int, ...], Flags] = {}
        for size in range(1, len(columns) + 1):
            for subset in itertools.combinations(columns, size):
                candidates = _candidates(problem, subset, passed)
                passed[subset] = self._settle(run, subset, candidates)
        low = np.array(problem.low)
        nodes = (np.argwhere(passed[columns]) + low).tolist()
        found = [one for node in nodes if (one := run.check(tuple(node))).meets]  # also as a whole
        for node in (np.argwhere(_coarsest(~passed[columns])) + low).tolist():
            run.check(tuple(node))  # counted whole, so that the proof rests on the columns together
        if found:
            best = min(found, key=lambda one: (one.cost, one.levels))
            run.settle(best, [one for one in found if one.cost == best.cost])

    def _settle(self, run: Run, subset: tuple[int, ...], candidates: Flags) -> Flags:
        """Which candidates keep suppression within the allowance over these columns."""
        problem = run.problem
        passed = np.zeros_like(candidates)
        nodes = sorted(map(tuple, np.argwhere(candidates).tolist()), key=lambda n: (sum(n), n))
        counted: dict[tuple[int, ...], Classes] = {}
        root = self._root(problem, subset, candidates)
        for node in nodes:
            if passed[node]:
                continue  # coarser than one that has passed
            source = next((counted[f] for f in _one_step_finer(node) if f in counted), root)
            levels = _whole(problem, subset, node)
            classes = problem.classes(levels, source)
            counted[node] = classes
            if problem.may_suppress(run.suppressed(classes, levels)):
                passed[tuple(slice(level, None) for level in node)] = True
        return passed

    def _root(self, problem: Problem, subset: tuple[int, ...], candidates: Flags) -> Classes | None:
        """The classes of the finest node below all candidates."""
        if not self.super_roots or not candidates.any():
            return None
        lowest = tuple(np.argwhere(candidates).min(axis=0).tolist())
        return problem.classes(_whole(problem, subset, lowest))


@dataclass(frozen=True, slots=True)
class Generalization:
    """A recoding that meets the policy."""

    recoding: Levels
    minimal: bool  # no finer one does
    suppressed: int
    cost: float


def k_anonymous_generalizations(problem: Problem) -> tuple[Generalization, ...]:
    """All that Incognito finds, lowest first, with the k-minimal ones marked."""
    check_problem(problem)
    algorithm = Incognito()
    refusal = algorithm.why_unsuitable(problem)
    if refusal is not None:
        raise NotSuited(Fault(algorithm.name, refusal, "ask for a single recoding with solve"))
    run = Run(problem, Limits(), silent, seed=0)
    algorithm.search(run)
    meets = {levels for levels, found in run.counted.items() if found.meets}
    return tuple(
        Generalization(
            Levels(problem.names, node),
            not any(finer in meets for finer in _one_step_finer(node)),
            run.counted[node].suppressed,
            run.counted[node].cost,
        )
        for node in sorted(meets, key=lambda node: (sum(node), node))
    )


def _candidates(
    problem: Problem, subset: tuple[int, ...], passed: dict[tuple[int, ...], Flags]
) -> Flags:
    """Nodes over these columns whose every part, one column less, has passed."""
    shape = tuple(problem.high[a] - problem.low[a] + 1 for a in subset)
    candidates = np.ones(shape, dtype=np.bool_)
    if len(subset) > 1:
        for at in range(len(subset)):
            part = passed[subset[:at] + subset[at + 1 :]]
            candidates &= np.expand_dims(part, at)
    return candidates


def _whole(problem: Problem, subset: tuple[int, ...], node: tuple[int, ...]) -> tuple[int, ...]:
    """The node over all columns: those outside the subset at ``*``, where they tell nothing."""
    levels = [table.height for table in problem.tables]
    for a, level in zip(subset, node, strict=True):
        levels[a] = problem.low[a] + level
    return tuple(levels)


def _coarsest(flags: Flags) -> Flags:
    """The flagged nodes with no flagged node one step coarser."""
    coarsest = flags.copy()
    for a in range(flags.ndim):
        below = tuple(slice(None, -1) if b == a else slice(None) for b in range(flags.ndim))
        above = tuple(slice(1, None) if b == a else slice(None) for b in range(flags.ndim))
        coarsest[below] &= ~flags[above]
    return coarsest


def _one_step_finer(node: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(*node[:a], level - 1, *node[a + 1 :]) for a, level in enumerate(node) if level]
