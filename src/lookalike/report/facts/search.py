"""The search: the lattice, the levels or cuts of each column, and the progress over time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from lookalike.problem.problem import Problem
from lookalike.problem.recodings.applied_recoding import AppliedRecoding
from lookalike.report.facts.columns import level_names
from lookalike.report.facts.value_groups import in_intervals
from lookalike.report.subject import Subject
from lookalike.solution.solution import Solution, TracePoint

MAX_NODES = 400  # of a lattice that is drawn
MAX_GROUPS = 200_000_000  # that are counted again to evaluate the nodes of a proof
MAX_MOMENTS = 200  # of a trace


@dataclass(frozen=True, slots=True)
class LatticeNode:
    """A recoding of the lattice, and what is known about it."""

    levels: tuple[int, ...]
    state: str  # chosen, meets, breaks, evaluated (no details are known) or pruned
    suppressed: int | None = None
    cost: float | None = None

    @property
    def height(self) -> int:
        return sum(self.levels)


@dataclass(frozen=True, slots=True)
class Lattice:
    """All full-domain recodings that the policy allows."""

    names: tuple[str, ...]
    nodes: tuple[LatticeNode, ...]

    @property
    def evaluated(self) -> int:
        return sum(node.state != "pruned" for node in self.nodes)


@dataclass(frozen=True, slots=True)
class Ladder:
    """The levels of a column, and the released rows at each."""

    column: str
    levels: tuple[str, ...]
    values: tuple[int, ...]  # different values that each level shows
    rows: tuple[int, ...]  # released rows at each level
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of a column's ordered values, by their places, and the rows in it."""

    label: str
    first: int
    last: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class CutColumn:
    """A column that is cut into intervals."""

    column: str
    values: int
    intervals: tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class Search:
    """What can be drawn: the lattice if it is small, and the levels or cuts of each column."""

    nodes: int  # of the lattice, drawn or not
    lattice: Lattice | None
    ladders: tuple[Ladder, ...]
    cuts: tuple[CutColumn, ...]
    trace: tuple[TracePoint, ...]


def search_facts(subject: Subject) -> Search:
    problem, solution, applied = subject.problem, subject.solution, subject.applied
    small = subject.recoding.node is not None and problem.nodes <= MAX_NODES
    lattice = lattice_facts(problem, solution) if small else None
    ladders, cuts = _ladders(applied), _cut_columns(applied)
    return Search(problem.nodes, lattice, ladders, cuts, trace(solution))


def lattice_facts(problem: Problem, solution: Solution) -> Lattice:
    """The nodes by height; those of the proof with their evaluation."""
    in_proof = {*solution.proof.nodes, *solution.proof.refuted}
    chosen = solution.recoding.node if solution.recoding is not None else None
    ranges = [range(low, high + 1) for low, high in zip(problem.low, problem.high, strict=True)]
    nodes = []
    few = problem.counts.groups * len(in_proof) <= MAX_GROUPS
    for levels in sorted(product(*ranges), key=lambda node: (sum(node), node)):
        if levels == chosen:
            nodes.append(LatticeNode(levels, "chosen", solution.suppressed, solution.cost))
        elif levels not in in_proof:
            nodes.append(LatticeNode(levels, "pruned"))
        elif few and problem.is_known(levels):
            nodes.append(_evaluated(problem, levels))
        else:
            nodes.append(LatticeNode(levels, "evaluated"))  # counts are not fetched for a chart
    return Lattice(problem.names, tuple(nodes))


def _evaluated(problem: Problem, levels: tuple[int, ...]) -> LatticeNode:
    evaluation = problem.evaluate_node(levels)
    cost = evaluation.cost if math.isfinite(evaluation.cost) else None
    state = "meets" if evaluation.meets else "breaks"
    return LatticeNode(levels, state, evaluation.suppressed, cost)


def trace(solution: Solution) -> tuple[TracePoint, ...]:
    """The moments when the best cost or the lower bound improved, thinned out if many."""
    end = TracePoint(solution.seconds, solution.checks, solution.cost, solution.bound)
    moments = solution.trace
    if moments and (moments[-1].cost, moments[-1].bound) != (end.cost, end.bound):
        moments = (*moments, end)  # concluded at the end
    step = max(1, -(-len(moments) // MAX_MOMENTS))
    return (*moments[:-1][::step], *moments[-1:])


def _ladders(applied: AppliedRecoding) -> tuple[Ladder, ...]:
    problem = applied.problem
    ladders = []
    for a, table in enumerate(problem.tables):
        rows = applied.rows_by_level(a)
        if rows is None:
            continue
        names, values = level_names(problem, a), tuple(map(len, table.labels))
        low, high = problem.low[a], problem.high[a]
        ladders.append(Ladder(table.name, names, values, tuple(rows), low, high))
    return tuple(ladders)


def _cut_columns(applied: AppliedRecoding) -> tuple[CutColumn, ...]:
    """The columns that are released as intervals."""
    problem = applied.problem
    columns = []
    for a, table in enumerate(problem.tables):
        if applied.usual_level(a) is not None:
            continue
        groups = in_intervals(problem, a, applied.columns[a])
        after = groups.rows(applied.released_by_value(a, groups.level)[0])
        held = groups.rows(problem.counts.marginal(a))
        of = groups.of if table.order is None else groups.of[table.order]
        intervals = []
        for at in dict.fromkeys(of.tolist()):
            places, label = np.flatnonzero(of == at).tolist(), groups.labels[at]
            intervals.append(Interval(label, places[0], places[-1], held[label], after[label]))
        columns.append(CutColumn(table.name, table.leaves, tuple(intervals)))
    return tuple(columns)
