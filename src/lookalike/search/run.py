"""One run of one algorithm: it offers recodings, the run counts, remembers, and says so.

Everything a search learns goes into the lattice of bounds, so that even a heuristic ends with a
bound and a gap.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TypeAlias, overload

from lookalike.counts.classes import Classes
from lookalike.events import Incumbent, Observer, Tick
from lookalike.problem.cell_evaluation import CellEvaluation
from lookalike.problem.cut_evaluation import CutsEvaluation
from lookalike.problem.out_of_core import OutOfCoreProblem
from lookalike.problem.problem import Evaluation, Problem
from lookalike.problem.rollup import RollUp
from lookalike.search.bounds.node_bounds import LARGEST, Lattice, below
from lookalike.search.limits import Limits, gigabytes_held
from lookalike.solution.proof import By, Charges, CutTree
from lookalike.solution.recoding import CellMap, Cuts, Space
from lookalike.solution.solution import Found, Stop

Evaluated: TypeAlias = Evaluation | CellEvaluation | CutsEvaluation

TICK = 0.2  # seconds between signs of life
ROUNDING = 1e-9  # between two ways to add up the same costs, if they are no whole numbers


class Stopped(Exception):  # not an error: the way a limit ends a run
    """A limit was reached. Algorithms let it pass through."""


class Run:
    """What an algorithm sees: the problem, and ``check``."""

    def __init__(
        self,
        problem: Problem,
        limits: Limits,
        observer: Observer,
        seed: int,
        space: Space = Space.FULL_DOMAIN,
    ) -> None:
        self.problem = problem
        self.limits = limits
        self.observer = observer
        self.seed = seed
        self.space = space
        self.best: Evaluated | None = None
        self.answer: Evaluated | None = None  # of a system that does not keep k
        self.cost = math.inf  # of the cheapest found: nothing dearer needs looking at
        self.alternatives: list[tuple[int, ...]] = []
        self.stop = Stop.FINISHED
        self.checks = 0
        self.trace: list[Found] = []
        self.counted: dict[tuple[int, ...], Evaluation] = {}
        self.rollup = problem if isinstance(problem, OutOfCoreProblem) else RollUp(problem)
        self.floor = problem.floor
        self.proved_by = By.NODES
        self.tree: Callable[[], CutTree] | None = None  # how to write the proof of a search by cuts
        self.charges: tuple[Charges, ...] = ()  # the proof of a search by cells
        by_lattice = space is Space.FULL_DOMAIN and problem.nodes <= LARGEST
        self.lattice = Lattice(problem) if by_lattice else None
        if space is not Space.CELL_LEVEL:
            _load_kernels(problem)
        self.searched: float | None = None  # seconds, once only a bound is left to be proved
        self._began = time.perf_counter()
        self._spoke = self._began

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    def bound(self) -> float:
        """No recoding that meets the policy costs less than this."""
        if self.lattice is None:
            return min(self.cost, self.floor)
        return min(self.cost, self.lattice.bound())

    def prove(self, bound: float, by: By) -> None:
        """A bound on every recoding of the space, and what the verifier must work out to see it."""
        if bound > self.floor:
            self.floor, self.proved_by = bound, by

    def check(self, node: tuple[int, ...]) -> Evaluation:
        """Count a node, learn from it, keep it if it is the best. Raises Stopped at a limit."""
        found = self.counted.get(node)
        if found is not None:
            return found
        self.mind_limits()
        found = self.rollup.evaluate(node)
        self.checks += 1
        better = found.meets and found.cost < below(self.cost)
        # In this order, so that Ctrl-C at any point leaves a bound that what was counted proves.
        self.counted[node] = found
        if better:
            self.best, self.cost = found, found.cost
        if self.lattice is not None:
            self.lattice.learn(found)
        if better:
            self._say(Incumbent(self.seconds, self.checks, found.cost, self.bound(),
                                found.suppressed, found.levels))  # fmt: skip
        else:
            self.tick()
        return found

    @overload
    def offer(self, recoding: CellMap, *, whatever: bool = False) -> CellEvaluation: ...

    @overload
    def offer(self, recoding: Cuts, *, whatever: bool = False) -> CutsEvaluation: ...

    def offer(
        self, recoding: CellMap | Cuts, *, whatever: bool = False
    ) -> CellEvaluation | CutsEvaluation:
        """Count a recoding by cells or cuts, keep it if it is the best. Raises Stopped at a limit.

        A system that promises no k offers its answer ``whatever`` comes of it.
        """
        self.mind_limits()
        return self._count(recoding, whatever=whatever)

    def count(self, recoding: CellMap) -> None:
        """The same, limit or no limit: for what was found when the limit came."""
        if not self._count(recoding).meets:
            raise RuntimeError("a recoding does not meet the policy, as the search took it to do")

    def keep(self, found: tuple[float, Cuts]) -> None:
        """What compiled code has found, with its cost: counted here again, limit or no limit."""
        cost, recoding = found
        counted = self._count(recoding)
        apart = 0.0 if isinstance(cost, int) else ROUNDING * max(1.0, abs(cost))
        if not counted.meets or abs(counted.cost - cost) > apart:
            raise RuntimeError("a recoding does not cost what the search took it to cost")

    def looked(self) -> None:
        """For searches that count in code of their own: one more was looked at."""
        self.checks += 1
        self.tick()

    def tick(self) -> None:
        """A sign of life, now and then."""
        if time.perf_counter() - self._spoke > TICK:
            cost = self.best.cost if self.best else None
            self._say(Tick(self.seconds, self.checks, cost, self.bound()))

    def _count(
        self, recoding: CellMap | Cuts, *, whatever: bool = False
    ) -> CellEvaluation | CutsEvaluation:
        found: CellEvaluation | CutsEvaluation
        if isinstance(recoding, Cuts):
            found = self.problem.evaluate_cuts(recoding)
            levels = tuple(len(cuts) + 1 for cuts in recoding.cuts)  # intervals, a column
        else:
            found = self.problem.evaluate_cells(recoding)
            levels = tuple(int(level) for level in recoding.levels.max(axis=0, initial=0))
        self.checks += 1
        if found.meets and found.cost < below(self.cost):
            self.best, self.cost = found, found.cost
            self._say(Incumbent(self.seconds, self.checks, found.cost, self.bound(),
                                found.suppressed, levels))  # fmt: skip
        elif whatever and not found.meets:
            self.answer = found
        return found

    def suppressed(self, classes: Classes, levels: tuple[int, ...]) -> int:
        """Rows that would be suppressed, for a count that is not of a whole node."""
        self.mind_limits()
        self.checks += 1
        return int(classes.sizes[self.problem.broken(classes, levels)].sum())

    def settle(self, on: Evaluation, among: list[Evaluation]) -> None:
        """The algorithm's own answer, if that is not simply the cheapest node it has counted.

        ``among`` are the nodes that were as good to it. The bound is not changed by this.
        """
        if not on.meets or self.counted.get(on.levels) is not on:
            raise ValueError("an algorithm can only settle on a node counted here that meets k")
        self.best = on
        self.alternatives = [found.levels for found in among if found.levels != on.levels]

    def _say(self, event: Incumbent | Tick) -> None:
        self._spoke = time.perf_counter()
        self.trace.append(Found(event.seconds, event.checks, event.cost, event.bound))
        self.observer(event)

    def mind_limits(self) -> None:
        """Raises Stopped at a limit: for algorithms that work long between two counts."""
        limits = self.limits
        if limits.cancelled is not None and limits.cancelled():
            self.stop = Stop.INTERRUPTED
        elif limits.seconds is not None and self.seconds >= limits.seconds:
            self.stop = Stop.TIME
        elif limits.checks is not None and self.checks >= limits.checks:
            self.stop = Stop.CHECKS
        elif limits.gigabytes is not None and gigabytes_held() > limits.gigabytes:
            self.stop = Stop.MEMORY
        else:
            return
        raise Stopped


_loaded: set[str] = set()


def _load_kernels(problem: Problem) -> None:
    """Load the compiled kernels before the clock starts, or the first of several runs pays for all.

    Any work will do: once a process, the coarsest node is counted and forgotten.
    """
    if _loaded or problem.nodes > LARGEST:
        return
    lattice = Lattice(problem)
    start = lattice.cheapest(math.inf)
    if start is not None:
        lattice.climb(start, math.inf, steep=True)
    lattice.learn(problem.evaluate(problem.high))
    _loaded.add("kernels")
