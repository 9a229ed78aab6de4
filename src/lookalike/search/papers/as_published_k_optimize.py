"""K-Optimize as printed: the best cuts, by a tree of all sets of cuts (Bayardo and Agrawal 2005).

The reference, to be read beside the paper: its Figure 5 is ``Tree.k_optimize`` and ``Tree.prune``.
What is wrong in print, and what is done instead, is told in docs/explanation/k-optimize.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cut_space import NONE, CutSpace, why_not_cut
from lookalike.search.algorithm import Algorithm
from lookalike.search.jit_warmup import search_small_problem
from lookalike.search.option_checks import check_flag
from lookalike.search.papers.as_published_costs import PrintedCM, PrintedCost, PrintedDM
from lookalike.search.run import Run
from lookalike.solution.recoding import Space

if TYPE_CHECKING:
    from lookalike.search.papers.as_published_classes import Splits

Whole = NDArray[np.int64]
METRICS = ("discernibility", "classification")
DEEPEST = 500  # cuts; the tree is walked by recursion, one step for each
INFINITE = 2**63 - 1  # the cost of what is over the limit; whole numbers, so that all is exact


@dataclass(frozen=True, slots=True)
class Exhausted:
    """What a tree leaves behind once it is searched through: no node is cheaper than ``cost``."""

    cost: int  # INFINITE: no recoding keeps to the limit
    head: tuple[int, ...] | None  # the cuts that cost this; None: nothing is cheaper than the seed
    nodes: int  # visited


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A node and its tail, looked at before any child is expanded."""

    bound: int  # on the cost of all nodes of the subtree
    bounds: Whole  # (tail,) and of those that have the cut
    splits: Splits


class Tree:
    """The set-enumeration tree. A node has a head, the cuts made, and a tail, cuts that may follow.

    ``best`` is the cost of a solution known from elsewhere, if one is. ``found`` is told of each
    improvement. ``mind`` is asked at every node, and may raise to stop the search.
    """

    def __init__(
        self,
        ranks: NDArray[np.int32],  # (groups, columns) the place of each value in its column's order
        labels: Whole,  # (groups, labels) rows with each class label; (groups, 1) if there is none
        column: NDArray[np.int32],  # (cuts,) in one numbering: column by column, each in its order
        place: NDArray[np.int32],  # (cuts,) parts the values at places below it from the rest
        k: int,
        limit: int,  # rows that may be suppressed; never are all
        cost: PrintedCost,
        *,
        best: int = INFINITE,
        found: Callable[[int, tuple[int, ...]], object] = lambda cost, head: None,
        mind: Callable[[], object] = lambda: None,
    ) -> None:
        from lookalike.search.papers.as_published_classes import HeadClasses  # late: loads numba

        self.classes = HeadClasses(ranks, labels, column, place, k)
        self.limit = min(limit, max(0, int(labels.sum()) - 1))
        self.cost = cost
        self.best = best
        self.best_head: tuple[int, ...] | None = None
        self.found = found
        self.mind = mind
        self.head: list[int] = []
        self.nodes = 0
        self._last: tuple[object, Look] | None = None

    def search(self, forced: Sequence[int], tail: Sequence[int]) -> Exhausted:
        """Every set of cuts that has the forced ones and any of the tail."""
        for cut in forced:
            self.add(cut)
        self.k_optimize(np.array(tail, dtype=np.int64))
        return Exhausted(self.best, self.best_head, self.nodes)

    def k_optimize(self, tail: Whole) -> None:
        """Figure 5, K-OPTIMIZE: find the cheapest node of the subtree, if cheaper than the best."""
        self.nodes += 1
        self.mind()
        tail = self.prune_useless_values(tail)
        self.compute_cost()
        tail = self.prune(tail)
        tail = self.reorder(tail)
        while len(tail):
            cut, tail = int(tail[0]), tail[1:]
            self.add(cut)
            self.k_optimize(tail)
            self.remove()
            tail = self.prune(tail)

    def prune(self, tail: Whole) -> Whole:
        """Figure 5, PRUNE: no cut stays that cannot lead to a cost below the best.

        Mended: a cut goes if the *bound* of its imaginary node is no lower than the best (5.1), not
        if PRUNE leaves that node without a tail, which it always would. A smaller allset raises
        bounds, so it is tried again until nothing goes.
        """
        while len(tail):
            look = self.look(tail)
            if look.bound >= self.best:
                return tail[:0]
            hopeful = look.bounds < self.best
            if hopeful.all():
                break
            tail = tail[hopeful]
        return tail

    def prune_useless_values(self, tail: Whole) -> Whole:
        """5.3: no cut stays that could be taken out of any recoding below without raising its cost.

        Conservative: it only makes classes under k (claim 5.4). Liberal: of each class that it
        splits a part is under k; where that is sound, the cost tells.
        """
        if not len(tail):
            return tail
        splits = self.look(tail).splits
        kept = splits.both_kept if self.cost.liberal(self.best) else splits.one_kept
        return tail[kept > 0]

    def reorder(self, tail: Whole) -> Whole:
        """5.5: first the cuts that split most classes; of equals, those with the least Σ|E|².

        Suppressed classes are not counted: splitting them has no effect on anything.
        """
        if not len(tail):
            return tail
        splits = self.look(tail).splits
        return tail[np.lexsort([splits.squares, -splits.classes])]

    def compute_cost(self) -> None:
        """Keep the head if it is the best so far."""
        suppressed = self.classes.suppressed
        if suppressed > self.limit:
            return
        head = self.classes.released()
        released = int(self.cost.released(head.rows, head.majority).sum())
        cost = released + suppressed * self.cost.of_suppressed
        if cost < self.best:
            self.best, self.best_head = cost, tuple(sorted(self.head))
            self.found(cost, self.best_head)

    def look(self, tail: Whole) -> Look:
        """The bound of the node, and of the imaginary node of each cut v: H ∪ {v} with T − {v}.

        These have one allset. So a cut adds to the bound only for the rows that it suppresses.
        """
        at = (tuple(self.head), tail.tobytes())
        if self._last is not None and self._last[0] == at:
            return self._last[1]
        head = self.classes.released()
        allset = self.classes.allset(head, tail)
        at_least = self.cost.at_least(allset.rows, allset.majority)
        if_suppressed = allset.rows * self.cost.of_suppressed
        splits = self.classes.splits(head, allset, if_suppressed - at_least, tail)
        suppressed = self.classes.suppressed
        bound = suppressed * self.cost.of_suppressed + int(at_least.sum())
        look = Look(
            bound if suppressed <= self.limit else INFINITE,
            np.where(suppressed + splits.lost <= self.limit, bound + splits.charge, INFINITE),
            splits,
        )
        self._last = (at, look)
        return look

    def add(self, cut: int) -> None:
        self.classes.split(cut)
        self.head.append(cut)

    def remove(self) -> None:
        self.classes.merge()
        self.head.pop()


@dataclass(frozen=True, slots=True)
class KOptimizeAsPublished(Algorithm):
    """Exact for k-anonymity and the metrics DM and CM, over all cuts of ordered columns.

    Rests on the paper's observations 5.1 and 5.2, its claims 5.3 and 5.4, and the mended rule of
    useless values (``printed_costs.py``). ``seeded``: where rows may be suppressed, the best that
    suppresses none is found first, and then only cheaper recodings are looked for (Figure 7a).
    """

    seeded: bool = True
    name = "k-optimize-printed"
    space = Space.CUTS
    promise = (
        "K-Optimize as published has searched its whole tree: no recoding by cuts costs less. It "
        "leaves no proof that can be re-checked."
    )
    exact = True
    only_by_name = True  # it may take very long

    def __post_init__(self) -> None:
        check_flag("KOptimizeAsPublished(seeded=...)", self.seeded)

    def why_unsuitable(self, problem: Problem) -> str | None:
        refusal = _asks_for_other(problem) or why_not_cut(problem)
        if refusal is not None:
            return refusal
        space = problem.cut_space
        if (space.needs != NONE).any():
            return 'it cuts anywhere, whatever the hierarchy groups; use cuts = "free"'
        if len(space.column) > DEEPEST:
            return f"{len(space.column):,} cuts are more than the {DEEPEST} that it can recurse on"
        return None

    def compile_kernels(self, problem: Problem) -> None:
        search_small_problem(type(self), "discernibility", in_order=True)

    def search(self, run: Run) -> None:
        space = run.problem.cut_space
        allowance = run.problem.allowance

        def mind() -> None:
            run.mind_limits()
            run.checks += 1
            run.tick()

        best = INFINITE if math.isinf(run.cost) else round(run.cost)
        for limit in sorted({0, allowance}) if self.seeded else [allowance]:
            tree = tree_of(run.problem, space, limit)
            tree.best, tree.mind = best, mind
            tree.found = lambda cost, head: run.offer(space.recoding(head))
            best = tree.search(*start(space)).cost
        # The tree is exhausted: nothing within the allowance costs less than best.


def _asks_for_other(problem: Problem) -> str | None:
    """What the policy asks for that is not in the paper."""
    policy, conventions = problem.policy, problem.policy.conventions
    if policy.metric.name not in METRICS:
        return f"it knows the metrics {' and '.join(METRICS)} only"
    if not problem.one_set:
        return "it recodes for one quasi-identifier, and the policy links by several"
    starred = conventions.suppressed == "star" and conventions.stars == "own"
    if starred and problem.allowance:
        return (
            "starred rows that stay need k among themselves, and it prunes as if any number might "
            'be suppressed; use suppressed = "drop" or suppress = 0'
        )
    return None


def tree_of(problem: Problem, space: CutSpace, limit: int) -> Tree:
    """The tree over a problem's cuts."""
    counts, metric = problem.counts, problem.policy.metric
    ranks = [space.rank[a][counts.codes[:, a]] for a in range(len(counts.names))]
    cost: PrintedCost = PrintedDM(problem.rows, problem.smallest)
    labels = counts.counts[:, None]
    if metric.class_column is not None:
        cost, labels = PrintedCM(), counts.sensitive[metric.class_column].dense(counts.groups)
    return Tree(
        np.column_stack(ranks), labels, space.column, space.place, problem.smallest, limit, cost
    )


def start(space: CutSpace) -> tuple[list[int], list[int]]:
    """The root's head and tail: what the policy's levels force, and what else they allow."""
    forced, allowed = space.forced, space.allowed & ~space.forced
    return np.flatnonzero(forced).tolist(), np.flatnonzero(allowed).tolist()
