"""K-Optimize, as fast as we can make it: the cheapest cuts, proved (Bayardo and Agrawal 2005).

Open nodes wait in a queue, the one with the least bound first. Some at a time are searched a little
way down, on all cores, in compiled code (``k_optimize_tree.py``), and what they leave open goes
back into the queue. When it is empty, or no bound in it is below the best cost, that is proved.

What comes out does not depend on the number of cores: a batch is always as large, and its members
share the best cost that was known before it.
"""

from __future__ import annotations

import hashlib
import heapq
import math
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import Fault, PolicyError
from lookalike.events import silent
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cut_space import in_order
from lookalike.search.algorithm import Algorithm
from lookalike.search.algorithm_options import number, whole_number, word
from lookalike.search.cuts.cut_suitability import BY_ROW, no_bound
from lookalike.search.cuts.greedy_descent import descend
from lookalike.search.cuts.k_optimize_layout import Instance, lay_out, too_large, wide_enough
from lookalike.search.cuts.loss.branch_and_bound import LossSearch
from lookalike.search.cuts.loss.layout import lay_out_losses, too_wide
from lookalike.search.jit_warmup import small_problem
from lookalike.search.limits import Limits
from lookalike.search.option_checks import check_number, check_whole
from lookalike.search.run import Run
from lookalike.solution.proof import BRANCH, CLOSED, LEFT, By, CutTree
from lookalike.solution.recoding import Cuts, Space
from lookalike.solution.solution import Solution
from lookalike.solution.solution_file import load

BATCH = 8  # nodes searched together
WORK = 40_000_000  # steps in each, some hundredths of a second
SOLUTION_FILE = "the file of a solution"
WAIT = 0.05  # seconds between two looks at the limits


@dataclass(frozen=True, slots=True)
class KOptimize(Algorithm):
    """Exact, anytime, with a proof.

    ``start`` is a recoding to begin with, from a heuristic, a tighter limit or a larger k;
    ``below`` a cost under which alone recodings are looked for. ``resume`` is the solution of a
    search that was stopped: its recoding, its tree and its bound are where this one begins.
    ``long`` names the column that is cut by dynamic programming, ``threads`` how
    many threads search; by loss and entropy it is always one (``cut_losses.py``).
    """

    start: Cuts | None = None
    below: float | None = None
    resume: Solution | None = None
    long: str | None = None
    threads: int | None = None
    name = "k-optimize"
    space = Space.CUTS
    options = (
        word("long"),
        whole_number("threads"),
        word("start", SOLUTION_FILE, lambda text: {"start": load(text).recoding}),
        word("resume", SOLUTION_FILE, lambda text: {"resume": load(text)}),
        number("below"),
    )
    promise = "K-Optimize finds a cheapest recoding by cuts and proves it."
    exact = True

    def __post_init__(self) -> None:
        if self.threads is not None:
            check_whole("KOptimize(threads=...)", self.threads, 1)
        if self.below is not None:
            check_number("KOptimize(below=...)", self.below)
        given: object = self.resume
        if given is not None and not isinstance(given, Solution):
            fix = "give the solution that the stopped search returned"
            problem = f"{type(given).__name__} is no solution"
            raise PolicyError(Fault("KOptimize(resume=...)", problem, fix))

    def why_unsuitable(self, problem: Problem) -> str | None:  # noqa: PLR0911 - one a sentence
        if (why_not := no_bound(problem)) is not None:
            return why_not
        if self.long is not None and self.long not in problem.names:
            known = ", ".join(problem.names)
            return f"there is no column {self.long} to take as the long one; use one of: {known}"
        if self.resume is not None and self.resume.proof.tree is None:
            return "the solution to resume has no tree of a search; give its recoding as start"
        if self.resume is not None and self._tree.asked != asked(problem):
            return "the search to resume was for another table or policy; give it as start instead"
        if self.start is not None and not (
            isinstance(self.start, Cuts) and problem.cut_space.holds(self.start)
        ):
            return "the recoding to start from is not one by cuts of this table and policy"
        if by_row(problem) and (too_many := too_wide(problem)) is not None:
            return too_many
        return too_large(problem, self._long(problem))

    def compile_kernels(self, problem: Problem) -> None:
        if by_row(problem):
            _compile_loss_kernels()
        else:
            _compile_tree_kernels(wide_enough(problem.rows).__name__)

    def search(self, run: Run) -> None:
        if self.start is not None:
            run.offer(self.start)
        resumed = self.resume.recoding if self.resume is not None else None
        if resumed is not None and resumed.space is self.space:
            run.offer(resumed)
        if by_row(run.problem):
            losses = lay_out_losses(run.problem, self._long(run.problem))
            search = LossSearch(losses, run, asked(run.problem), self._aim(run))
            self._believe(run)
            search.explore(self._tree if self.resume is not None else None)
            return
        instance = lay_out(run.problem, self._long(run.problem))
        tree = Tree(instance, asked(run.problem), self._tree if self.resume is not None else None)
        run.tree = tree.written
        self._believe(run)
        if self.resume is None:
            for _, flags in descend(instance, run.mind_limits):
                run.offer(instance.recoding(flags))
        self._prove(run, tree)
        with ThreadPoolExecutor(self.threads or os.cpu_count() or 1) as pool:
            while tree.waits(self._upper(run)):
                run.mind_limits()
                self._explore(run, tree, tree.next_batch(self._upper(run)), pool)

    def _explore(self, run: Run, tree: Tree, batch: list[Node], pool: ThreadPoolExecutor) -> None:
        """Search below some nodes; whatever stops it, what was learnt by then is kept."""
        halt = np.zeros(1, dtype=np.int64)
        upper = self._upper(run)
        futures = [pool.submit(explore_below, tree.instance, node, upper, halt) for node in batch]
        try:
            while wait(futures, WAIT).not_done:
                run.mind_limits()
        finally:
            halt[0] = 1
            for found in tree.learn(batch, [future.result() for future in futures], upper):
                run.keep(found)
            run.checks += sum(future.result().nodes for future in futures)
            self._prove(run, tree)
        run.tick()

    def _believe(self, run: Run) -> None:
        """The bound of a stopped search holds on, until the verifier sees the whole tree."""
        if self.resume is not None and math.isfinite(self.resume.bound):
            run.prove(self.resume.bound, By.TREE)

    @property
    def _tree(self) -> CutTree:
        assert self.resume is not None
        assert self.resume.proof.tree is not None
        return self.resume.proof.tree

    def _prove(self, run: Run, tree: Tree) -> None:
        """What follows from the tree so far."""
        tree.aim = self._aim(run)
        run.prove(tree.bound(), By.TREE)

    def _long(self, problem: Problem) -> int | None:
        if self.resume is not None:
            return problem.names.index(self._tree.long)
        return None if self.long is None else problem.names.index(self.long)

    def _aim(self, run: Run) -> float:
        """Only recodings cheaper than this are looked for."""
        before = math.inf if self.resume is None else self._tree.below
        return min(run.cost, before, math.inf if self.below is None else self.below)

    def _upper(self, run: Run) -> int:
        """The same as a number: where any will do, more than every recoding costs."""
        rows = run.problem.rows
        every = rows * rows if run.problem.policy.metric.class_column is None else rows
        return min(every + 1, math.ceil(min(self._aim(run), every + 1)))


@cache
def _compile_tree_kernels(kind: str) -> None:
    """Large tables need wider numbers, and kernels of their own for them."""
    small = lay_out(small_problem())
    instance = replace(small, cost=small.cost.astype(kind), least=small.least.astype(kind))
    for _ in descend(instance):
        pass
    explore_below(instance, Tree(instance).queue[0][2], 65, np.zeros(1, dtype=np.int64))


@cache
def _compile_loss_kernels() -> None:
    """With an allowance below the cheapest number of suppressed rows, so that they are counted."""
    problem = small_problem("loss", in_order=True)
    run = Run(problem, Limits(), silent, 0, Space.CUTS)
    LossSearch(lay_out_losses(problem), run, "", math.inf).explore()


def by_row(problem: Problem) -> bool:
    """Is it the other search, for metrics that add up row by row?"""
    return problem.policy.metric.name in BY_ROW


def asked(problem: Problem) -> str:
    """A digest of all that a search over cuts depends on."""
    policy = problem.policy
    parts: tuple[object, ...] = (
        problem.fingerprint, problem.names, problem.low, problem.high, problem.smallest,
        problem.allowance, policy.metric.name, policy.metric.class_column, policy.conventions.cuts,
        [[table.labels[0][leaf] for leaf in in_order(table)] for table in problem.tables],
    )  # fmt: skip
    if by_row(problem):
        trees = [[own.tolist() for own in table.leaves_under] for table in problem.tables]
        parts += (problem.ground.weights.tolist(), trees)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """An open node of the tree."""

    bound: int
    number: int  # where it stands in the record of the search
    state: NDArray[np.int8]
    places: int
    place: NDArray[np.int64]  # (3, long) places, and the intervals from each: lowest end, highest


@dataclass(frozen=True, slots=True, eq=False)
class Explored:
    """What searching below a node has brought."""

    upper: int
    found: NDArray[np.bool_]
    marks: NDArray[np.int16]
    nodes: int
    left: tuple[NDArray[Any], ...]  # states, places, intervals and bounds of what is left open


def explore_below(instance: Instance, node: Node, upper: int, halt: NDArray[np.int64]) -> Explored:
    from lookalike.search.cuts.k_optimize_tree_kernels import explore  # late: loads numba

    cost, found, marks, nodes, *left = explore(
        instance.metric, instance.k, instance.limit, instance.rows, instance.cost, instance.least,
        instance.first, instance.width, instance.needs, instance.banned, instance.profile,
        instance.weight, instance.planes,
        node.state, node.places, node.place[0], node.place[1], node.place[2], upper, WORK, halt,
    )  # fmt: skip
    return Explored(int(cost), found, marks, int(nodes), tuple(left))


class Tree:
    """The queue of open nodes, and the record of all that was closed."""

    def __init__(self, instance: Instance, digest: str = "", resume: CutTree | None = None) -> None:
        self.instance = instance
        self.digest = digest
        self.aim = math.inf if resume is None else resume.below
        self.marks: list[NDArray[np.int16]] = [np.array([LEFT], dtype=np.int16)]
        self.children: list[list[int]] = [[]]
        self.queue: list[tuple[int, int, Node]] = []
        size = len(instance.banned)
        place = np.zeros((3, size), dtype=np.int64)
        places = len(instance.places)
        place[0, :places] = instance.places
        place[1, :places] = np.arange(1, places + 1)
        place[2, :places] = places - 1
        self._push(Node(0, 0, instance.state, places, place))
        if resume is not None:
            self._resume(resume, self.queue.pop()[2])

    def _push(self, node: Node) -> None:
        heapq.heappush(self.queue, (node.bound, node.number, node))

    def waits(self, upper: int) -> bool:
        """Is there a node left that could hold something cheaper?"""
        return bool(self.queue) and self.queue[0][0] < upper

    def next_batch(self, upper: int) -> list[Node]:
        """Those with the least bounds, of those that could hold something cheaper."""
        batch: list[Node] = []
        while self.waits(upper) and len(batch) < BATCH:
            batch.append(heapq.heappop(self.queue)[2])
        return batch

    def bound(self) -> float:
        """No recoding costs less than this; infinite if there is none and nothing is left open."""
        return min(self.aim, self.queue[0][0]) if self.queue else self.aim

    def learn(
        self, batch: list[Node], explored: Iterable[Explored], upper: int
    ) -> list[tuple[int, Cuts]]:
        """Write down what was closed, queue what was left open; returns what was found cheaper."""
        found = []
        for node, below in zip(batch, explored, strict=True):
            if below.upper < upper:
                found.append((below.upper, self.instance.recoding(below.found)))
            self.marks[node.number] = below.marks
            for state, places, place, bound in zip(*below.left, strict=True):
                number = self._new(node.number)
                self._push(Node(max(int(bound), node.bound), number, state, int(places), place))
        found.sort(key=lambda one: one[0])
        return found

    def _new(self, parent: int) -> int:
        self.marks.append(np.array([LEFT], dtype=np.int16))
        self.children.append([])
        self.children[parent].append(len(self.marks) - 1)
        return len(self.marks) - 1

    def written(self) -> CutTree:
        """The whole search in preorder."""
        pieces: list[NDArray[np.int16]] = []
        stack: list[NDArray[np.int16] | int] = [0]
        while stack:
            top = stack.pop()
            if isinstance(top, int):
                marks, children = self.marks[top], self.children[top]
                if children:
                    parts = np.split(marks, np.flatnonzero(marks == LEFT))
                    inner: list[NDArray[np.int16] | int] = [parts[0]]
                    for child, part in zip(children, parts[1:], strict=True):
                        inner += [child, part[1:]]
                    stack.extend(reversed(inner))
                    continue
                top = marks
            pieces.append(top)
        long = self.instance.space.names[self.instance.long]
        return CutTree(long, np.concatenate(pieces), self.digest, self.aim)

    def _resume(self, tree: CutTree, root: Node) -> None:
        """Open again what a search has left open; what it has closed is believed until verified."""
        from lookalike.search.cuts.k_optimize_bound_kernels import leave, put

        self.marks[0] = tree.marks
        needs = self.instance.needs
        state = root.state.copy()
        waiting: list[NDArray[np.int8]] = []  # the nodes where a cut is not made, deepest last
        for mark in tree.marks.tolist():
            if mark >= 0:
                leave(state, mark, needs)
            elif mark <= BRANCH:
                without = state.copy()
                leave(without, BRANCH - mark, needs)
                waiting.append(without)
                put(state, BRANCH - mark, needs)
            elif mark in (CLOSED, LEFT):
                if mark == LEFT:
                    number = self._new(0)
                    self._push(replace(root, number=number, state=state))
                if waiting:
                    state = waiting.pop()
