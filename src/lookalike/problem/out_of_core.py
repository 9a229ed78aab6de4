"""An out-of-core problem: a problem whose counts stay on the engine.

A few nodes are fetched, the *floor*. Every node that is coarser than one of the floor is counted
from it in memory. A node below the floor is not fetched at once: rows that are suppressed at a node
above both it and the floor are suppressed here as well, so most nodes are ruled out by nodes that
can be counted in memory. If that does not settle a large node, the engine is asked how many of its
rows stand out. If these are too many, the node is *refuted*, and no group is fetched. Otherwise the
floor gets one more node: at or below this one, with as many groups as memory allows. A search finds
and proves the same as with all counts in memory.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from operator import le

from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import Node, RemoteCounts
from lookalike.errors import Fault, TableError
from lookalike.policy.policy import Policy
from lookalike.problem.evaluation import NOTHING, Evaluation, NodeFacts
from lookalike.problem.problem import Problem, ProofFloor
from lookalike.problem.rollup import RollUp
from lookalike.solution.recoding import Levels, Recoding

MAX_GROUPS = 1_500_000  # of a node of the floor, as a rule
HARD_LIMIT = 4  # times as many groups are refused
MIN_GROUPS, ROWS_PER_GROUP = 250_000, 20  # small tables: counting rows again is faster than holding
UNDERESTIMATE = 3  # a node may have this many times the groups that a sample suggests


class OutOfCoreProblem(Problem):
    """Like any problem, but only full-domain recodings can be evaluated."""

    holds_all_tuples = False

    def __init__(
        self,
        policy: Policy,
        remote: RemoteCounts,
        tables: Sequence[LevelTable],
        approximate_groups: int,
        max_groups: int = MAX_GROUPS,
    ) -> None:
        self.remote, self.approximate_groups = remote, approximate_groups
        self.hard_limit = HARD_LIMIT * max_groups
        self.max_groups = min(max_groups, max(MIN_GROUPS, remote.rows // ROWS_PER_GROUP))
        self.floor_nodes: list[tuple[Node, RollUp]] = []
        self.refuted: dict[Node, int] = {}  # rows that stand out: more than may be suppressed
        self.evaluated: dict[tuple[Node, Node], Evaluation] = {}  # (node of the floor, node)
        self.too_large: list[Node] = []  # found to have more than max_groups
        high = tuple(policy.level_bounds(t.name, t.height)[1] for t in tables)
        super().__init__(policy, remote.at(high), tables)

    @property
    def groups(self) -> int:
        """Distinct tuples of the table, within a few percent."""
        return self.approximate_groups

    def node_to_count(self, node: Node, counted: Container[Node]) -> Node:
        """The node itself if it is above the floor, else one that may rule it out."""
        if self._floor_below(node) is None:
            for base, _ in self.floor_nodes:
                both = tuple(map(max, node, base))
                if both not in counted:
                    return both
            base = self._deepest(node)
            if base != node or not self._refute(node):
                self._fetch(base)
        return node

    def _refute(self, node: Node) -> bool:
        """Do too many rows stand out at a node that is too large to fetch?"""
        guess = UNDERESTIMATE * self.remote.sampled_groups([node])[0]
        large = self._known_too_large(node) or guess > self.max_groups
        if not self.one_set or not (large or self._too_large(node)):
            return False
        alone = self.remote.small_group_rows(node, self.smallest, self.allowance)
        if self.may_suppress(alone):
            return False
        self.refuted[node] = alone
        return True

    def evaluate_node(self, levels: Sequence[int]) -> Evaluation:
        node = tuple(levels)
        alone = self.refuted.get(node)
        if alone is not None and self._floor_below(node) is None:
            recoding = Levels(self.names, node)
            return Evaluation(recoding, False, alone, 0, NOTHING.cost, NodeFacts(False, NOTHING))
        base, rollup = self._source(node)
        if (base, node) not in self.evaluated:
            self.evaluated[base, node] = rollup.evaluate_node(node)
        known = self.evaluated[base, node]
        assert known.node is not None
        extra = known.node.cost.extra.copy()
        for a, level in enumerate(base):
            extra[a : a + 1, :level] = 0.0  # the values of suppressed rows below the floor: unknown
        cost = replace(known.node.cost, extra=extra)
        return replace(known, node=known.node._replace(cost=cost))

    def node_evaluator(self) -> Callable[[Node], Evaluation]:
        return self.evaluate_node

    def in_memory(self, recoding: Recoding) -> Problem:
        assert recoding.node is not None  # no other kind is searched for such a problem
        return self._source(recoding.node)[1].problem

    def is_known(self, node: Node) -> bool:
        return node in self.refuted or self._floor_below(node) is not None

    def proof_floor(self, settles: Callable[[Problem], bool]) -> ProofFloor:
        """To check a proof, each of its nodes has to be counted on the engine again. So those go
        that the proof can do without, the largest first.
        """
        floor, refuted = self.floor, tuple(sorted(self.refuted))
        for node in refuted:
            rest = tuple(other for other in refuted if other != node)
            if settles(self._with_only(floor, rest)):
                refuted = rest
        for base, _ in sorted(self.floor_nodes, key=lambda fetched: -fetched[1].problem.groups):
            rest = tuple(other for other in floor if other != base)
            if rest and settles(self._with_only(rest, refuted)):
                floor = rest
        return ProofFloor(floor, refuted)

    def _with_only(self, floor: Sequence[Node], refuted: Iterable[Node]) -> OutOfCoreProblem:
        """The same problem with only these nodes of the floor, and only these refuted."""
        less = copy.copy(self)
        less.floor_nodes = [fetched for fetched in self.floor_nodes if fetched[0] in floor]
        less.refuted = {node: self.refuted[node] for node in refuted}
        return less

    def release_memory(self) -> None:
        for _, rollup in self.floor_nodes:
            rollup.release_memory()

    @property
    def floor(self) -> tuple[Node, ...]:
        """The nodes of the floor."""
        return tuple(base for base, _ in self.floor_nodes)

    def _source(self, node: Node) -> tuple[Node, RollUp]:
        """The node of the floor that a node is counted from; it is fetched if there is none."""
        source = self._floor_below(node)
        if source is None:
            self._fetch(self._deepest(node))
            source = self._floor_below(node)
            assert source is not None
        return source

    def _floor_below(self, node: Node) -> tuple[Node, RollUp] | None:
        """The node of the floor at or below this one that has fewest groups."""
        below = [fetched for fetched in self.floor_nodes if all(map(le, fetched[0], node))]
        return min(below, key=lambda fetched: fetched[1].problem.counts.groups, default=None)

    def _fetch(self, base: Node) -> None:
        """Add a node to the floor: from now on every coarser node can be counted in memory."""
        counts = self.remote.at(base)
        if counts.groups > self.hard_limit:
            raise TableError(self._too_many(base, counts.groups))
        problem = Problem(self.policy, counts, self.tables, self.costing)
        self.floor_nodes.append((base, RollUp(problem)))

    def _deepest(self, node: Node) -> Node:
        """A node at or below this one, as fine as memory allows: one level finer at a time, in the
        column where that makes fewest new groups.
        """
        tried = [node]
        while True:
            finer = [
                (*tried[-1][:a], level - 1, *tried[-1][a + 1 :])
                for a, level in enumerate(tried[-1])
                if level > self.low[a]
            ]
            finer = [candidate for candidate in finer if not self._known_too_large(candidate)]
            guesses = self.remote.sampled_groups(finer)
            if not finer or UNDERESTIMATE * min(guesses) > self.max_groups:
                break
            tried.append(finer[guesses.index(min(guesses))])
        while len(tried) > 1 and self._too_large(tried[-1]):
            tried = tried[: max(1, len(tried) - 2)]
        return tried[-1]

    def _too_large(self, node: Node) -> bool:
        """Does it have more than ``max_groups``? Then all finer nodes do."""
        limit = self.max_groups
        if not self._known_too_large(node) and self.remote.approximate_groups(node, limit) > limit:
            self.too_large.append(node)
        return self._known_too_large(node)

    def _known_too_large(self, node: Node) -> bool:
        return any(all(map(le, node, large)) for large in self.too_large)

    def _too_many(self, node: Node, groups: int) -> Fault:
        """What does not fit, and the best columns to generalize or to remove so that it does."""
        tried = []
        for a, (name, level) in enumerate(zip(self.names, node, strict=True)):
            for up in range(level + 1, self.high[a]):
                tried.append((f"{name} from level {up} up", (*node[:a], up, *node[a + 1 :])))
            tried.append((f"{name} removed", (*node[:a], self.tables[a].height, *node[a + 1 :])))
        sizes = self.remote.sampled_groups([candidate for _, candidate in tried])
        fit = [(size, what) for size, (what, _) in zip(sizes, tried, strict=True)
               if size <= self.hard_limit]  # fmt: skip
        best = sorted(fit, reverse=True)[:3]  # the one that just fits loses least
        would = "; ".join(f"{what}: about {size:,.0f} groups" for size, what in best)
        return Fault(
            "quasi_identifiers",
            f"a recoding that must be counted has {groups:,} groups over {len(self.names)} "
            f"columns, more than the {self.hard_limit:,} that fit in memory",
            "raise the lowest level of columns with many values, for example levels = [1, 5], "
            "or name fewer quasi-identifiers" + (f"; {would}" if would else ""),
        )
