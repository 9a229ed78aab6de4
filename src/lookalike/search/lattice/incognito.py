"""Incognito: find every full-domain recoding that meets k, by sets of columns of growing size.

LeFevre, DeWitt and Ramakrishnan 2005. If rows stand out over some of the columns, they stand out
over all of them (subset property). So nodes are decided for single columns first, then for pairs;
in a larger set, only nodes all of whose parts have passed are counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
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
from lookalike.search.lattice.monotonicity import why_not_monotone
from lookalike.search.limits import Limits
from lookalike.search.option_checks import check_flag
from lookalike.search.run import Run
from lookalike.solution.recoding import Levels, Space

MAX_NODES = 2_000_000  # of the lattice of all columns

Flags = NDArray[np.bool_]  # one for each node of the lattice of some columns


@dataclass(frozen=True, slots=True)
class Incognito(Algorithm):
    """Exact search for every full-domain recoding that meets the policy, and so the cheapest.

    It rests on monotonicity: coarser nodes meet the policy too (generalization property), and so do
    fewer columns (subset property). Both also hold with a limit on suppressed rows.

    Parameters
    ----------
    super_roots : bool
        Count the lowest nodes of a set of columns from the finest node below all of them, and not
        each from the table.

    References
    ----------
    LeFevre, DeWitt and Ramakrishnan 2005. Incognito: efficient full-domain k-anonymity.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.Incognito())
    <Solution: optimal, full-domain, incognito, cost 0.333333>
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
        if problem.nodes > MAX_NODES:
            return f"the lattice has {problem.nodes:,} nodes, too many to check all of them"
        return why_not_monotone(problem)

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
        evaluations = [run.check(tuple(node)) for node in nodes]
        meeting = [evaluation for evaluation in evaluations if evaluation.meets]  # table-wide too
        for node in (np.argwhere(_coarsest(~passed[columns])) + low).tolist():
            run.check(tuple(node))  # over all columns: nodes over fewer columns prove nothing
        if meeting:
            best = min(meeting, key=lambda node: (node.cost, node.levels))
            run.settle(best, [node for node in meeting if node.cost == best.cost])

    def _settle(self, run: Run, subset: tuple[int, ...], candidates: Flags) -> Flags:
        """Which candidates suppress no more than allowed over these columns."""
        problem = run.problem
        passed = np.zeros_like(candidates)
        found = np.argwhere(candidates)
        counted: dict[tuple[int, ...], Classes] = {}
        root = None
        if self.super_roots and len(found):  # the finest node below all candidates
            root = problem.classes(_all_columns(problem, subset, found.min(axis=0).tolist()))
        order = np.argsort(found.sum(axis=1), kind="stable")
        for node in map(tuple, found[order].tolist()):
            if passed[node]:
                continue  # coarser than a node that has passed
            source = next((counted[f] for f in _one_step_finer(node) if f in counted), root)
            levels = _all_columns(problem, subset, node)
            classes = problem.classes(levels, source)
            counted[node] = classes
            if problem.may_suppress(run.suppressed(classes, levels)):
                passed[tuple(slice(level, None) for level in node)] = True
        return passed


@dataclass(frozen=True, slots=True)
class Generalization:
    """A full-domain recoding that meets the policy.

    Attributes
    ----------
    recoding : Levels
        The level of each column.
    minimal : bool
        Does no finer recoding meet the policy?
    suppressed : int
        Rows that it suppresses.
    cost : float
        Its cost, by the policy's metric.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.k_anonymous_generalizations(la.prepare(table, policy))[0].minimal
    True
    """

    recoding: Levels
    minimal: bool
    suppressed: int
    cost: float


def k_anonymous_generalizations(problem: Problem) -> tuple[Generalization, ...]:
    """All full-domain recodings that meet the policy, found by Incognito.

    Parameters
    ----------
    problem : Problem
        From ``la.prepare``.

    Returns
    -------
    tuple of Generalization
        Lowest first; ``minimal`` marks the k-minimal ones.

    Raises
    ------
    NotSuited
        If Incognito cannot solve the problem, for example because the lattice is too large.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> found = la.k_anonymous_generalizations(la.prepare(table, policy))
    >>> [generalization.recoding.levels for generalization in found]
    [(1,), (2,), (3,)]
    """
    check_problem(problem)
    algorithm = Incognito()
    reason = algorithm.why_unsuitable(problem)
    if reason is not None:
        raise NotSuited(Fault(algorithm.name, reason, "search for a single recoding with solve"))
    run = Run(problem, Limits(), silent, seed=0)
    algorithm.search(run)
    meeting = {node for node, evaluation in run.counted.items() if evaluation.meets}
    return tuple(
        Generalization(
            Levels(problem.names, node),
            not any(finer in meeting for finer in _one_step_finer(node)),
            run.counted[node].suppressed,
            run.counted[node].cost,
        )
        for node in sorted(meeting, key=lambda node: (sum(node), node))
    )


def _candidates(
    problem: Problem, subset: tuple[int, ...], passed: dict[tuple[int, ...], Flags]
) -> Flags:
    """Nodes over these columns all parts of which, with one column less, have passed."""
    shape = tuple(problem.high[a] - problem.low[a] + 1 for a in subset)
    candidates = np.ones(shape, dtype=np.bool_)
    if len(subset) > 1:
        for at in range(len(subset)):
            part = passed[subset[:at] + subset[at + 1 :]]
            candidates &= np.expand_dims(part, at)
    return candidates


def _all_columns(problem: Problem, subset: tuple[int, ...], node: Sequence[int]) -> tuple[int, ...]:
    """The node over all columns, with those outside the subset at ``*``."""
    levels = [table.height for table in problem.tables]
    for a, level in zip(subset, node, strict=True):
        levels[a] = problem.low[a] + level
    return tuple(levels)


def _coarsest(flags: Flags) -> Flags:
    """The flagged nodes such that no node one step coarser is flagged."""
    coarsest = flags.copy()
    for a in range(flags.ndim):
        below = tuple(slice(None, -1) if b == a else slice(None) for b in range(flags.ndim))
        above = tuple(slice(1, None) if b == a else slice(None) for b in range(flags.ndim))
        coarsest[below] &= ~flags[above]
    return coarsest


def _one_step_finer(node: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(*node[:a], level - 1, *node[a + 1 :]) for a, level in enumerate(node) if level]
