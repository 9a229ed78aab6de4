"""One run of one algorithm: the algorithm offers recodings; the run counts and remembers them.

Everything a search learns goes into the lattice of bounds. So even a heuristic ends with a lower
bound and a gap.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from lookalike.counts.classes import Classes
from lookalike.counts.remote_counts import Node
from lookalike.events import Incumbent, Observer, Tick
from lookalike.problem.evaluation import Evaluation
from lookalike.problem.problem import Problem
from lookalike.search.bounds.node_bounds import MAX_NODES, Lattice, below
from lookalike.search.limits import Limits, gigabytes_held
from lookalike.solution.proof import BoxTree, By, CutTree, DualPrices
from lookalike.solution.recoding import CellMap, Cuts, Recoding, Space
from lookalike.solution.solution import Stop, TracePoint

TICK = 0.2  # seconds between two Tick events
ROUNDING = 1e-9  # relative, between two ways to add up the same costs, if these are not integers


class Stopped(Exception):  # not an error: this is how a limit ends a run
    """A limit was reached. Algorithms do not catch it."""


class Run:
    """What an algorithm sees: the problem, and ``check``."""

    def __init__(
        self,
        problem: Problem,
        limits: Limits,
        observer: Observer,
        seed: int,
        space: Space = Space.FULL_DOMAIN,
        *,
        bounds_every_node: bool = True,
    ) -> None:
        self.problem = problem
        self.limits = limits
        self.observer = observer
        self.seed = seed
        self.space = space
        self.best: Evaluation | None = None
        self.answer: Evaluation | None = None  # of a system that does not keep k
        self.cost = math.inf  # of the best recoding; others need not be looked at if they cost more
        self.alternatives: list[Node] = []
        self.stop = Stop.FINISHED
        self.checks = 0
        self.trace: list[TracePoint] = []
        self.counted: dict[Node, Evaluation] = {}
        self.evaluate_node = problem.node_evaluator()
        self.proved_bound = problem.least_cost  # a lower bound on every recoding of the space
        self.proved_by = By.NODES
        self.tree: Callable[[], CutTree] | None = None  # how to write the proof of a search by cuts
        self.prices: tuple[DualPrices, ...] = ()  # the proof of a search by cells
        self.boxes: tuple[tuple[Node, ...], BoxTree] | None = None  # cited nodes, and their tree
        by_lattice = space is Space.FULL_DOMAIN and problem.nodes <= MAX_NODES
        self.lattice = Lattice(problem) if by_lattice and bounds_every_node else None
        self.searched: float | None = None  # seconds, once only a bound remains to be proved
        self._began = time.perf_counter()
        self._spoke = self._began

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    @property
    def best_node(self) -> Node | None:
        """The lattice node of the best recoding, if there is one and it is a node."""
        return self.best.recoding.node if self.best is not None else None

    def bound(self) -> float:
        """No recoding that meets the policy costs less than this."""
        if self.lattice is not None:
            return self.lattice.bound(self.cost)
        return min(self.cost, self.proved_bound)

    def prove(self, bound: float, by: By) -> None:
        """A lower bound on every recoding of the space, and how the verifier can check it."""
        if bound > self.proved_bound:
            self.proved_bound, self.proved_by = bound, by

    def check(self, node: Node) -> Evaluation:
        """Count a node, learn from it, keep it if it is the best. Raises Stopped at a limit."""
        known = self.counted.get(node)
        if known is not None:
            return known
        self.mind_limits()
        evaluation = self.evaluate_node(node)
        self.checks += 1
        better = evaluation.meets and evaluation.cost < below(self.cost)
        # In this order, so that Ctrl-C at any point leaves a bound that the counted nodes prove.
        self.counted[node] = evaluation
        if better:
            self.best, self.cost = evaluation, evaluation.cost
        if self.lattice is not None:
            self.lattice.learn(evaluation)
        if better:
            self._tell_incumbent(evaluation)
        else:
            self.tick()
        return evaluation

    def offer(self, recoding: Recoding, *, even_if_unmet: bool = False) -> Evaluation:
        """Count a recoding by cells or cuts; keep it if it is the best. Raises Stopped at a limit.

        A system that does not promise k offers its answer ``even_if_unmet``.
        """
        self.mind_limits()
        return self._count(recoding, even_if_unmet=even_if_unmet)

    def count(self, recoding: CellMap) -> None:
        """The same without limits: for what was found when the limit was reached."""
        if not self._count(recoding).meets:
            raise RuntimeError("the search took this recoding to meet the policy; it does not")

    def keep(self, found: tuple[float, Cuts]) -> None:
        """A recoding that compiled code has found, with its cost. Counted here again, without
        limits.
        """
        cost, recoding = found
        evaluation = self._count(recoding)
        tolerance = 0.0 if isinstance(cost, int) else ROUNDING * max(1.0, abs(cost))
        if not evaluation.meets or abs(evaluation.cost - cost) > tolerance:
            raise RuntimeError("a recoding does not have the cost that the search computed")

    def looked(self) -> None:
        """For searches that count with their own code: one more recoding was looked at."""
        self.checks += 1
        self.tick()

    def count_one(self) -> None:
        """For searches that count with their own code: one recoding is counted, within limits."""
        self.mind_limits()
        self.looked()

    def tell_bound(self) -> None:
        """Tell the observer at once that the bound has risen."""
        self._tell(Tick(self.seconds, self.checks, self.best.cost if self.best else None,
                        self.bound()))  # fmt: skip

    def tick(self) -> None:
        """Tell the observer from time to time that the search goes on."""
        if time.perf_counter() - self._spoke > TICK:
            cost = self.best.cost if self.best else None
            self._tell(Tick(self.seconds, self.checks, cost, self.bound()))

    def _count(self, recoding: Recoding, *, even_if_unmet: bool = False) -> Evaluation:
        evaluation = self.problem.evaluate(recoding)
        self.checks += 1
        if evaluation.meets and evaluation.cost < below(self.cost):
            self.best, self.cost = evaluation, evaluation.cost
            self._tell_incumbent(evaluation)
        elif even_if_unmet and not evaluation.meets:
            self.answer = evaluation
        return evaluation

    def suppressed(self, classes: Classes, levels: tuple[int, ...]) -> int:
        """Rows that would be suppressed, for a count that is not of a full node."""
        self.mind_limits()
        self.checks += 1
        return int(classes.sizes[self.problem.broken(classes, levels)].sum())

    def settle(self, choice: Evaluation, equals: list[Evaluation]) -> None:
        """The algorithm's own answer, if that is not simply the cheapest node it has counted.

        ``equals`` are the nodes that are as good for the algorithm. The bound stays the same.
        """
        if not choice.meets or self.counted.get(choice.levels) is not choice:
            raise ValueError("an algorithm can only settle on a node counted here that meets k")
        self.best = choice
        self.alternatives = [other.levels for other in equals if other.levels != choice.levels]

    def _tell_incumbent(self, best: Evaluation) -> None:
        self._tell(Incumbent(self.seconds, self.checks, best.cost, self.bound(),
                             best.suppressed, best.recoding.coarseness))  # fmt: skip

    def _tell(self, event: Incumbent | Tick) -> None:
        self._spoke = time.perf_counter()
        self.trace.append(TracePoint(event.seconds, event.checks, event.cost, event.bound))
        self.observer(event)

    def mind_limits(self) -> None:
        """Raises Stopped at a limit: for algorithms that work long between two counts."""
        self._stop_at(self.limit_reached())

    def mind_clock(self) -> None:
        """The same without the limit of recodings, which works alike on slow and fast machines."""
        self._stop_at(self.limit_reached(counting=False))

    def _stop_at(self, limit: Stop | None) -> None:
        if limit is not None:
            self.stop = limit
            raise Stopped

    def limit_reached(self, *, counting: bool = True) -> Stop | None:
        """Which limit is reached, if one is; ``counting``: also that of recodings."""
        limits = self.limits
        if limits.cancelled is not None and limits.cancelled():
            return Stop.INTERRUPTED
        if limits.seconds is not None and self.seconds >= limits.seconds:
            return Stop.TIME
        if counting and limits.checks is not None and self.checks >= limits.checks:
            return Stop.CHECKS
        if limits.gigabytes is not None and gigabytes_held() > limits.gigabytes:
            return Stop.MEMORY
        return None
