"""Finer recodings that a minimal algorithm would have chosen, had they met the requirements.

If an algorithm generalizes only where it must, its choice reveals that every recoding it prefers
breaks a requirement (Wong, Fu, Wang and Pei 2007, the minimality principle). A *division* is such
a recoding: it puts the people of the classes into parts. Which are preferred depends on the
algorithm:

- Full-domain searches (flash, mingen, incognito, samarati, hybrid): every node with one column one
  level lower. Where the order of preference is known, every node that would have come first.
- Top-down specialization: every label replaced by its children, wherever it is shown.
- Mondrian over columns without an order: every class cut by the labels of one column at one level.
  In an ordered column two parts can show the same labels, so a class need not be one part.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.class_members import ClassMembers
from lookalike.attacking.release_view import ReleaseView
from lookalike.cost.metric import CountedNode
from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy
from lookalike.privacy.k_anonymity import KAnonymity
from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem

Whole = NDArray[np.int64]
Node = tuple[int, ...]
FULL_DOMAIN = ("flash", "branch-and-bound", "mingen", "incognito", "samarati", "hybrid")
BY_HEIGHT = ("samarati", "hybrid")
ROUNDING = 1e-12  # costs closer than this, relatively, are equal
MAX_NODES = 2000  # of a lattice whose nodes are compared by cost


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """A recoding of some classes that must have broken a requirement in at least one part."""

    kinds: Whole  # (affected kinds,) ascending: all kinds of people of the classes it divides
    part: Whole  # (affected kinds,) from 0 without gaps
    crosses: bool = False  # does a part have people of several classes?


@dataclass(frozen=True, slots=True, eq=False)
class KnownLevels:
    """The people of a public list, with the hierarchy of each column over their values."""

    people: FrequencySet
    tables: tuple[LevelTable, ...]

    def code(self, column: int, level: int) -> Whole:
        """(kinds,) what each kind of people shows in a column at a level."""
        codes = self.tables[column].codes
        return np.asarray(codes[self.people.codes[:, column], level], dtype=np.int64)

    def node(self, levels: Node) -> Whole:
        """(kinds,) the class of each kind of people at a lattice node."""
        return group_ids(np.stack([self.code(a, level) for a, level in enumerate(levels)], axis=1))


def known_levels(view: ReleaseView, people: FrequencySet) -> KnownLevels:
    """Tabulate the hierarchies of the policy over the values of a list of people."""
    hierarchies = view.policy.hierarchies
    pairs = zip(people.names, people.values, strict=True)
    return KnownLevels(people, tuple(hierarchies[n].tabulate(n, values) for n, values in pairs))


def shown_node(view: ReleaseView) -> Node | None:
    """The finest lattice node that shows these labels; None if the release is not full-domain."""
    node = []
    for at, column in enumerate(view.columns):
        low, high = view.policy.level_bounds(column.name, column.table.height)
        covers = column.covers[np.unique(view.codes[:, at])]
        fits = (level for level in range(low, high + 1) if _shows(column.table, level, covers))
        level = next(fits, None)
        if level is None:
            return None
        node.append(level)
    return tuple(node)


def _shows(table: LevelTable, level: int, covers: NDArray[np.bool_]) -> bool:
    """Does each label cover the values that look alike at this level?"""
    codes = table.codes[:, level]
    if not len(codes):  # nothing is known about which values there are
        return False
    first = covers.argmax(axis=1)
    return bool(covers.any(axis=1).all() and (covers == (codes == codes[first, None])).all())


def finer_nodes(view: ReleaseView, known: KnownLevels, members: ClassMembers) -> list[Division]:
    """One column one level lower, for each column of a full-domain release."""
    node = shown_node(view)
    assert node is not None
    divisions = []
    for a, level in enumerate(node):
        low, _ = view.policy.level_bounds(known.tables[a].name, known.tables[a].height)
        if level > low:
            finer = known.node((*node[:a], level - 1, *node[a + 1 :]))
            divisions.append(_division(finer, members.kinds(), members))
    return divisions


class Preferred(NamedTuple):
    """The nodes that a search would have chosen first."""

    divisions: list[Division]
    complete: bool  # are these certainly all of them?


def preferred_nodes(
    view: ReleaseView, known: KnownLevels, members: ClassMembers, default_options: bool
) -> Preferred | None:
    """Every node that a full-domain search would have chosen first; None if there are too many.

    It holds where no row may be suppressed, since then the cost of a node does not depend on
    sensitive values.
    """
    node = shown_node(view)
    assert node is not None
    policy = view.policy
    bounds = [policy.level_bounds(table.name, table.height) for table in known.tables]
    sizes = [high - low + 1 for low, high in bounds]
    if math.prod(sizes) > MAX_NODES or policy.metric.class_column:
        return None
    order = _Order(view.algorithm, default_options, node, _NodeCosts(policy, known, members))
    divisions, complete = [], True
    for other in itertools.product(*(range(low, high + 1) for low, high in bounds)):
        first = order.comes_first(other) if other != node else False
        complete &= first is not None
        if first:
            divisions.append(_division(known.node(other), members.kinds(), members))
    return Preferred(divisions, complete)


class _Order(NamedTuple):
    """The order in which an algorithm prefers nodes, as far as it is known."""

    algorithm: str
    default_options: bool
    chosen: Node
    costs: _NodeCosts

    def comes_first(self, other: Node) -> bool | None:
        """Would it have chosen the other node, had that met the requirements? None if unknown."""
        finer = all(a <= b for a, b in zip(other, self.chosen, strict=True))
        if finer and (self.algorithm in BY_HEIGHT or sum(other) == sum(self.chosen) - 1):
            return True
        if self.algorithm in BY_HEIGHT and not self.default_options:
            return None
        heights = (sum(other), sum(self.chosen)) if self.algorithm in BY_HEIGHT else (0, 0)
        if heights[0] != heights[1]:
            return heights[0] < heights[1]
        return self._costs_less(other)

    def _costs_less(self, other: Node) -> bool | None:
        """The same by the costs of the nodes, and by what counts among equals."""
        cost, limit = self.costs.of(other), self.costs.of(self.chosen)
        if self.algorithm in (*BY_HEIGHT, "incognito"):
            return (cost, other) < (limit, self.chosen)
        if abs(cost - limit) > ROUNDING * max(1.0, abs(limit)):
            return cost < limit
        if all(a >= b for a, b in zip(other, self.chosen, strict=True)):
            return False  # of equals, the finest is chosen
        known = self.algorithm == "mingen" and self.default_options
        return other < self.chosen if known else None


class _NodeCosts:
    """What lattice nodes cost if no row is suppressed."""

    def __init__(self, policy: Policy, known: KnownLevels, members: ClassMembers) -> None:
        kinds, people = members.kinds(), known.people
        plain = Policy(
            quasi_identifiers=policy.hierarchies,
            require=KAnonymity(2),  # not judged here
            metric=policy.metric,
            weights=policy.weights,
            levels=policy.levels,
        )
        counts = FrequencySet(
            people.names, people.values, people.codes[kinds], people.counts[kinds]
        )
        self.problem = Problem(plain, counts, known.tables)
        self.known: dict[Node, float] = {}

    def of(self, node: Node) -> float:
        """The cost of a node."""
        if node not in self.known:
            classes = self.problem.classes(node)
            none = np.zeros(len(classes), dtype=np.bool_)
            levels = np.array(node, dtype=np.int64)
            counted = CountedNode(self.problem.encoded, levels, classes, none, 0, none)
            self.known[node] = self.problem.costing.node(counted).cost
        return self.known[node]


def _division(classes: Whole, kinds: Whole, members: ClassMembers) -> Division:
    """These kinds of people, by what they would have shown."""
    part, of = group_ids(classes[kinds, None]), members.of[kinds]
    first = np.zeros(len(kinds) + 1, dtype=np.int64)
    first[part] = of
    return Division(kinds, part, bool((first[part] != of).any()))


def specialized_labels(
    view: ReleaseView, known: KnownLevels, members: ClassMembers
) -> list[Division]:
    """Each label of a top-down release replaced by its children, wherever it is shown."""
    kinds, divisions = members.kinds(), []
    for a, column in enumerate(view.columns):
        low, _ = view.policy.level_bounds(column.name, column.table.height)
        shown = view.codes[members.of[kinds], a]
        for label in np.unique(shown).tolist():
            level = int(column.level[label])
            if level > low:
                divisions.append(_cut(kinds[shown == label], known.code(a, level - 1), members))
    return divisions


def separated_labels(
    view: ReleaseView, known: KnownLevels, members: ClassMembers
) -> list[Division]:
    """Each class of a Mondrian release cut by the labels of one column at one level."""
    divisions = []
    for at, kinds in members.by_class():
        for a, column in enumerate(view.columns):
            low, _ = view.policy.level_bounds(column.name, column.table.height)
            for level in range(low, int(column.level[view.codes[at, a]])):
                divisions.append(_cut(kinds, known.code(a, level), members))
    return divisions


def _cut(kinds: Whole, codes: Whole, members: ClassMembers) -> Division:
    """The classes of these kinds, each divided by a code."""
    return _division(group_ids(np.stack([members.of, codes], axis=1) + 2), kinds, members)
