"""Where the search looked, and what it chose: lattice, ladders, cuts or cells; and its trace."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from lookalike.problem.problem import Problem
from lookalike.problem.recodings.applied_recoding import AppliedRecoding
from lookalike.report.facts.value_groups import in_intervals
from lookalike.report.subject import Subject
from lookalike.solution.solution import Found, Solution

NODES = 400  # of a lattice that is still a picture
WORK = 200_000_000  # groups that are counted again to say what came of the nodes of a proof
STEPS = 200  # of a trace


@dataclass(frozen=True, slots=True)
class Node:
    """One recoding of the lattice, and what is known of it."""

    levels: tuple[int, ...]
    state: str  # chosen, meets, breaks, counted (and no more is known) or uncounted
    suppressed: int | None = None
    cost: float | None = None

    @property
    def height(self) -> int:
        return sum(self.levels)


@dataclass(frozen=True, slots=True)
class Lattice:
    """Every recoding that the policy allows, of a full-domain problem."""

    names: tuple[str, ...]
    nodes: tuple[Node, ...]

    @property
    def counted(self) -> int:
        return sum(node.state != "uncounted" for node in self.nodes)


@dataclass(frozen=True, slots=True)
class Ladder:
    """One column's levels, and where it stands."""

    column: str
    levels: tuple[str, ...]
    values: tuple[int, ...]  # different values that each level shows
    rows: tuple[int, ...]  # released rows at each level
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Interval:
    """A stretch of a column's values, by their places, and the rows in it."""

    label: str
    first: int
    last: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class CutColumn:
    """An ordered column, cut into intervals."""

    column: str
    values: int
    intervals: tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of the search."""

    seconds: float
    checks: int
    cost: float | None
    bound: float | None


@dataclass(frozen=True, slots=True)
class Search:
    """What there is to draw: ladders always but for cuts, the lattice if it is small."""

    nodes: int  # of the lattice, drawn or not
    lattice: Lattice | None
    ladders: tuple[Ladder, ...]
    cuts: tuple[CutColumn, ...]
    trace: tuple[Moment, ...]


def search_facts(subject: Subject) -> Search:
    problem, solution, applied = subject.problem, subject.solution, subject.applied
    lattice = None
    if subject.recoding.node is not None and problem.nodes <= NODES:
        lattice = lattice_facts(problem, solution)
    ladders, cuts = _ladders(applied), _cut_columns(applied)
    return Search(problem.nodes, lattice, ladders, cuts, trace(solution))


def lattice_facts(problem: Problem, solution: Solution) -> Lattice:
    """Nodes by height; those that the proof counts are told by what came of them."""
    counted = {*solution.proof.nodes, *solution.proof.refuted}
    chosen = solution.recoding.node if solution.recoding is not None else None
    ranges = [range(low, high + 1) for low, high in zip(problem.low, problem.high, strict=True)]
    nodes = []
    for levels in sorted(product(*ranges), key=lambda one: (sum(one), one)):
        if levels == chosen:
            nodes.append(Node(levels, "chosen", solution.suppressed, solution.cost))
        elif levels in counted:
            light = problem.counts.groups * len(counted) <= WORK
            nodes.append(_judged(problem, levels) if light else Node(levels, "counted"))
        else:
            nodes.append(Node(levels, "uncounted"))
    return Lattice(problem.names, tuple(nodes))


def _judged(problem: Problem, levels: tuple[int, ...]) -> Node:
    if not problem.is_known(levels):
        return Node(levels, "counted")  # nothing is fetched to draw a picture
    found = problem.evaluate_node(levels)
    cost = found.cost if math.isfinite(found.cost) else None
    return Node(levels, "meets" if found.meets else "breaks", found.suppressed, cost)


def trace(solution: Solution) -> tuple[Moment, ...]:
    """The moments when the best so far or the bound got better; of very many, an even part."""
    end = Found(solution.seconds, solution.checks, solution.cost, solution.bound)
    moments = solution.trace
    if moments and (moments[-1].cost, moments[-1].bound) != (end.cost, end.bound):
        moments = (*moments, end)  # what was concluded when it was over
    step = max(1, -(-len(moments) // STEPS))
    taken = [*moments[:-1][::step], *moments[-1:]]
    return tuple(
        Moment(
            one.seconds,
            one.checks,
            one.cost if one.cost is not None and math.isfinite(one.cost) else None,
            one.bound if math.isfinite(one.bound) else None,
        )
        for one in taken
    )


def _ladders(applied: AppliedRecoding) -> tuple[Ladder, ...]:
    problem = applied.problem
    ladders = []
    for a, table in enumerate(problem.tables):
        rows = applied.rows_by_level(a)
        if rows is None:
            continue
        hierarchy = problem.policy.hierarchies[table.name]
        words = (*map(hierarchy.describe, range(table.height)), "hidden (*)")
        values = tuple(len(labels) for labels in table.labels)
        ladders.append(
            Ladder(table.name, words, values, tuple(rows), problem.low[a], problem.high[a])
        )
    return tuple(ladders)


def _cut_columns(applied: AppliedRecoding) -> tuple[CutColumn, ...]:
    """The columns that show intervals."""
    problem = applied.problem
    found = []
    for a, table in enumerate(problem.tables):
        if applied.usual_level(a) is not None:
            continue
        groups = in_intervals(problem, a, applied.columns[a])
        after = groups.rows(applied.released_by_value(a, groups.level)[0])
        held = groups.rows(problem.counts.marginal(a))
        order = table.order if table.order is not None else np.arange(table.leaves)
        of = groups.of[order]
        intervals = []
        for at in dict.fromkeys(of.tolist()):
            places = np.nonzero(of == at)[0]
            label = groups.labels[at]
            intervals.append(
                Interval(label, int(places[0]), int(places[-1]), held[label], after[label])
            )
        found.append(CutColumn(table.name, table.leaves, tuple(intervals)))
    return tuple(found)
