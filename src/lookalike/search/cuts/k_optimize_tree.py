"""The tree of K-Optimize: the queue of open nodes, and the record of what was closed.

Some nodes at a time are explored in compiled code, and what they leave open returns to the queue.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.search.cuts.k_optimize_arrays import (
    TO_BOUND,
    TO_DROP,
    TO_MAKE,
    Record,
    Stack,
    State,
    Workspace,
)
from lookalike.search.cuts.k_optimize_layout import CutInstance
from lookalike.solution.proof import BRANCH, CLOSED, LEFT, CutTree
from lookalike.solution.recoding import Cuts

BATCH_NODES = 8  # searched together
MAX_STEPS = 40_000_000  # below each node: some hundredths of a second

Marks = NDArray[np.int16]


@dataclass(frozen=True, slots=True, eq=False)
class CutNode:
    """An open node of the tree."""

    bound: int
    state: State  # (cuts,) in, out or open
    place: NDArray[np.int64]  # (places,) the places of the long column that are left
    low: NDArray[np.int64]  # (places,) intervals from each place: their nearest end
    high: NDArray[np.int64]  # (places,) and their farthest
    number: int = 0  # in the record of the search


@dataclass(frozen=True, slots=True, eq=False)
class Explored:
    """What the search below a node has brought."""

    cost: int  # of the best recoding known
    flags: NDArray[np.bool_]  # its cuts, if it was found here
    marks: Marks
    nodes: int
    left: list[CutNode]  # what is still open, in the order of the marks


def explore_below(
    instance: CutInstance, node: CutNode, cutoff: int, halt: NDArray[np.int64]
) -> Explored:
    """Search below a node for recodings cheaper than ``cutoff``, until ``halt[0]`` is set."""
    from lookalike.search.cuts.k_optimize_tree_kernels import explore  # late: loads numba

    table = instance.table
    stack = Stack.begin(table, node.state, node.place, node.low, node.high)
    record = Record.begin(table)
    space = Workspace.begin(table, len(node.place))
    cost, nodes, depth = explore(table, stack, space, record, cutoff, MAX_STEPS, halt)
    left = [open_node for d in range(depth, -1, -1) for open_node in _left_open(instance, stack, d)]
    closed = record.marks[: record.length[0]]
    marks = np.concatenate([closed, np.full(len(left), LEFT, np.int16)])
    return Explored(int(cost), record.best, marks, int(nodes), left)


def _left_open(instance: CutInstance, stack: Stack, depth: int) -> Iterable[CutNode]:
    """What is open of the node at one depth: the node itself, or its branches with and without."""
    phase, cut, places = stack.phase[depth], int(stack.branch[depth]), int(stack.places[depth])
    state, place = stack.state[depth].copy(), stack.place[depth, :places].copy()
    low, high = stack.low[depth, :places].copy(), stack.high[depth, :places].copy()
    node = CutNode(int(stack.bound[depth]), state, place, low, high)
    if phase == TO_BOUND:
        yield node
        return
    made, dropped = with_and_without(state, cut, instance.table.needs)
    if phase == TO_MAKE:
        bound = max(node.bound, int(stack.with_cut[depth, cut]))
        yield replace(node, state=made, bound=bound)
    if phase in (TO_MAKE, TO_DROP):
        yield replace(node, state=dropped)


def with_and_without(state: State, cut: int, needs: NDArray[np.int64]) -> tuple[State, State]:
    """The cuts of a node if an open cut is made, and if it is dropped."""
    from lookalike.search.cuts.k_optimize_bound_kernels import drop_cut, make_cut

    made, dropped = state.copy(), state.copy()
    make_cut(made, cut, needs)
    drop_cut(dropped, cut, needs)
    return made, dropped


class SearchTree:
    """The queue of open nodes, the least bound first, and the record of all that was closed."""

    def __init__(
        self, instance: CutInstance, digest: str = "", resume: CutTree | None = None
    ) -> None:
        self.instance = instance
        self.digest = digest
        self.aim = math.inf if resume is None else resume.below
        self.marks: list[Marks] = [np.array([LEFT], dtype=np.int16)]  # by number of the node
        self.children: list[list[int]] = [[]]
        self.queue: list[tuple[int, int, CutNode]] = []
        places = len(instance.places)
        low, high = np.arange(1, places + 1), np.full(places, places - 1)
        root = CutNode(0, instance.state, instance.places, low, high)
        if resume is None:
            self._push(root)
        else:
            self._resume(resume, root)

    def _push(self, node: CutNode) -> None:
        heapq.heappush(self.queue, (node.bound, node.number, node))

    def waits(self, cutoff: int) -> bool:
        """Is there a node left that could hold something cheaper?"""
        return bool(self.queue) and self.queue[0][0] < cutoff

    def next_batch(self, cutoff: int) -> list[CutNode]:
        """The nodes with the least bounds, among those that could hold something cheaper."""
        batch: list[CutNode] = []
        while self.waits(cutoff) and len(batch) < BATCH_NODES:
            batch.append(heapq.heappop(self.queue)[2])
        return batch

    def bound(self) -> float:
        """No recoding costs less than this; infinite if there is none and nothing is left open."""
        return min(self.aim, self.queue[0][0]) if self.queue else self.aim

    def learn(
        self, batch: list[CutNode], explored: Iterable[Explored], cutoff: int
    ) -> list[tuple[int, Cuts]]:
        """Record what was closed, queue what was left open; returns the cheaper recodings found."""
        cheaper = []
        for node, below in zip(batch, explored, strict=True):
            if below.cost < cutoff:
                cheaper.append((below.cost, self.instance.recoding(below.flags)))
            self.marks[node.number] = below.marks
            for left in below.left:
                bound = max(left.bound, node.bound)
                self._push(replace(left, bound=bound, number=self._new_child(node.number)))
        cheaper.sort(key=lambda found: found[0])
        return cheaper

    def _new_child(self, parent: int) -> int:
        self.marks.append(np.array([LEFT], dtype=np.int16))
        self.children.append([])
        self.children[parent].append(len(self.marks) - 1)
        return len(self.marks) - 1

    def proof(self) -> CutTree:
        """The whole search in preorder."""
        pieces: list[Marks] = []
        stack: list[Marks | int] = [0]
        while stack:
            top = stack.pop()
            if isinstance(top, int):
                marks, children = self.marks[top], self.children[top]
                if children:
                    parts = np.split(marks, np.flatnonzero(marks == LEFT))
                    inner: list[Marks | int] = [parts[0]]
                    for child, part in zip(children, parts[1:], strict=True):
                        inner += [child, part[1:]]
                    stack.extend(reversed(inner))
                    continue
                top = marks
            pieces.append(top)
        long = self.instance.space.names[self.instance.long]
        return CutTree(long, np.concatenate(pieces), self.digest, self.aim)

    def _resume(self, tree: CutTree, root: CutNode) -> None:
        """Open again what a search has left open; trust what it has closed until it is verified."""
        from lookalike.search.cuts.k_optimize_bound_kernels import drop_cut

        self.marks[0] = tree.marks
        needs = self.instance.table.needs
        state = root.state.copy()
        waiting: list[State] = []  # the nodes where a cut is dropped, deepest last
        for mark in tree.marks.tolist():
            if mark >= 0:
                drop_cut(state, mark, needs)
            elif mark <= BRANCH:
                state, without = with_and_without(state, BRANCH - mark, needs)
                waiting.append(without)
            elif mark in (CLOSED, LEFT):
                if mark == LEFT:
                    self._push(replace(root, number=self._new_child(0), state=state))
                if waiting:
                    state = waiting.pop()
