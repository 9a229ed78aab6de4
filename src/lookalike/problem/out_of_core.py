"""A policy met with counts that stay on the engine: nodes are counted above a floor of a few.

Few nodes are fetched, the *floor*; each serves every coarser node in memory. A node below the floor
is not fetched at once: what the nodes above both it and the floor suppress, it suppresses as well,
so most are ruled out by nodes that can be counted in memory. If that does not settle it and the
node is large, the engine is asked how many rows stand out there: if too many do, that is all there
is to know, and it is *refuted* with no group fetched. Else the floor is laid deeper, by a node at
or below it with as many groups as memory allows. What a search finds and proves is what it would
find with all counts at hand.
"""

from __future__ import annotations

import copy
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from operator import le

from lookalike.counts.classes import Classes
from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import Node, RemoteCounts
from lookalike.errors import Fault, TableError
from lookalike.policy.policy import Policy
from lookalike.problem.problem import NOTHING, Evaluation, Problem
from lookalike.problem.rollup import RollUp

ROOM = 1_500_000  # groups of a node of the floor, at the most
FEW, SHARE = 250_000, 20  # of fewer rows it is quicker to count rows again than to hold more groups
UNSEEN = 3  # times as many groups as a sample lets guess are likely


class OutOfCoreProblem(Problem):
    """As any problem, but only nodes of the full-domain lattice can be evaluated."""

    def __init__(
        self,
        policy: Policy,
        far: RemoteCounts,
        tables: Sequence[LevelTable],
        about: int,
        room: int = ROOM,
    ) -> None:
        self.far, self.about, self.most = far, about, 4 * room
        self.room = min(room, max(FEW, far.rows // SHARE))
        self.floor_nodes: list[tuple[Node, RollUp]] = []
        self.refuted: dict[Node, int] = {}  # rows that stand out: more than may be left out
        self.evaluated: dict[tuple[Node, Node], Evaluation] = {}  # from which of the floor, which
        self.too_large: list[Node] = []  # found to have more groups than there is room for
        high = tuple(policy.bounds(t.name, t.height)[1] for t in tables)
        super().__init__(policy, far.at(high), tables)

    @property
    def groups(self) -> int:
        """Distinct tuples of the table, within a few percent."""
        return self.about

    def node_to_count(self, node: Node, counted: Container[Node]) -> Node:
        """The node to count when this one is asked for: itself, if it is above the floor."""
        if self._above(node) is None:
            for base, _ in self.floor_nodes:
                both = tuple(map(max, node, base))
                if both not in counted:
                    return both
            base = self._deepest(node)
            if base != node or not self._refuted(node):
                self._lay(base)
        return node

    def _refuted(self, node: Node) -> bool:
        """Do too many rows stand out at a node that had better not be fetched?"""
        large = self._known_too_large(node) or UNSEEN * self.far.guess([node])[0] > self.room
        if not self.one_set or not (large or self._too_large(node)):
            return False
        alone = self.far.alone(node, self.smallest, self.allowance)
        if self.may_suppress(alone):
            return False
        self.refuted[node] = alone
        return True

    def evaluate(self, levels: Sequence[int], source: Classes | None = None) -> Evaluation:
        node = tuple(levels)
        if (alone := self.refuted.get(node)) is not None and self._above(node) is None:
            return Evaluation(node, False, False, alone, 0, NOTHING)
        base, rollup = self._serving(node)
        if (base, node) not in self.evaluated:
            self.evaluated[base, node] = rollup.evaluate(node)
        known = self.evaluated[base, node]
        extra = known.reading.extra.copy()
        for a, level in enumerate(base):
            extra[a : a + 1, :level] = 0.0  # what suppressed rows hold below the floor is not known
        return replace(known, reading=replace(known.reading, extra=extra))

    def held(self, levels: Sequence[int]) -> Problem:
        return self._serving(tuple(levels))[1].problem

    def only(
        self, nodes: Sequence[Node], refuted: Iterable[Node] | None = None
    ) -> OutOfCoreProblem:
        """The same with no more than these nodes of the floor, and of those refuted."""
        less = copy.copy(self)
        less.floor_nodes = [one for one in self.floor_nodes if one[0] in nodes]
        if refuted is not None:
            less.refuted = {node: self.refuted[node] for node in refuted}
        return less

    def is_known(self, node: Node) -> bool:
        """Can it be judged as the floor is?"""
        return node in self.refuted or self.is_above(node)

    def is_above(self, node: Node) -> bool:
        """Can it be counted as the floor is?"""
        return self._above(node) is not None

    def release_memory(self) -> None:
        """Of what was kept to count faster: a release may need the room."""
        for _, rollup in self.floor_nodes:
            rollup.kept.clear()
            rollup.spent = 0

    @property
    def laid(self) -> tuple[Node, ...]:
        """The nodes of the floor."""
        return tuple(base for base, _ in self.floor_nodes)

    def _serving(self, node: Node) -> tuple[Node, RollUp]:
        """What it is counted from; the floor is laid deeper if it must be."""
        found = self._above(node)
        if found is None:
            self._lay(self._deepest(node))
            found = self._above(node)
            assert found is not None
        return found

    def _above(self, node: Node) -> tuple[Node, RollUp] | None:
        """The floor's node below this one that has fewest groups."""
        below = [
            one
            for one in self.floor_nodes
            if all(level <= asked for level, asked in zip(one[0], node, strict=True))
        ]
        return min(below, key=lambda one: one[1].problem.counts.groups, default=None)

    def _lay(self, base: Node) -> None:
        """Fetch a node; from now on all above it can be counted in memory."""
        counts = self.far.at(base)
        if counts.groups > self.most:
            raise TableError(self._too_many(base, counts.groups))
        problem = Problem(self.policy, counts, self.tables, self.costing)
        self.floor_nodes.append((base, RollUp(problem)))

    def _deepest(self, node: Node) -> Node:
        """A node at or below this one, as fine as there is room for: one level finer at a time,
        where that makes fewest new groups.
        """
        tried = [node]
        while True:
            finer = [
                (*tried[-1][:a], level - 1, *tried[-1][a + 1 :])
                for a, level in enumerate(tried[-1])
                if level > self.low[a]
            ]
            finer = [one for one in finer if not self._known_too_large(one)]
            guesses = self.far.guess(finer)
            if not finer or UNSEEN * min(guesses) > self.room:
                break
            tried.append(finer[guesses.index(min(guesses))])
        while len(tried) > 1 and self._too_large(tried[-1]):
            tried = tried[: max(1, len(tried) - 2)]
        return tried[-1]

    def _too_large(self, node: Node) -> bool:
        """Has it more groups than there is room for? So have all finer ones."""
        if not self._known_too_large(node) and self.far.groups(node, self.room) > self.room:
            self.too_large.append(node)
        return self._known_too_large(node)

    def _known_too_large(self, node: Node) -> bool:
        return any(all(map(le, node, large)) for large in self.too_large)

    def _too_many(self, node: Node, groups: int) -> Fault:
        """What does not fit, and what would: the best columns to coarsen or to leave out."""
        tried = []
        for a, (name, level) in enumerate(zip(self.names, node, strict=True)):
            for up in range(level + 1, self.high[a]):
                tried.append((f"{name} from level {up} up", (*node[:a], up, *node[a + 1 :])))
            tried.append((f"{name} left out", (*node[:a], self.tables[a].height, *node[a + 1 :])))
        sizes = self.far.guess([one for _, one in tried])
        fit = [(size, what) for size, (what, _) in zip(sizes, tried, strict=True)
               if size <= self.most]  # fmt: skip
        best = sorted(fit, reverse=True)[:3]  # what fits just so loses least
        would = "; ".join(f"{what}: about {size:,.0f} groups" for size, what in best)
        return Fault(
            "quasi_identifiers",
            f"a recoding that must be counted has {groups:,} groups over {len(self.names)} "
            f"columns, and there is room for {self.most:,}",
            "set a coarser finest level for columns with many values, as levels = [1, 5], or name "
            "fewer quasi-identifiers" + (f"; {would}" if would else ""),
        )
