"""K-Optimize as published: the best cuts, by a tree of all sets of cuts (Bayardo, Agrawal 2005).

A reference to read beside the paper: its Figure 5 is ``Tree.k_optimize`` and ``Tree.prune``.
docs/explanation/k-optimize.md says what is wrong in the paper, and what is done instead.
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
from lookalike.search.cuts.k_optimize_layout import ranks_and_labels
from lookalike.search.jit_warmup import search_small_problem
from lookalike.search.option_checks import check_flag
from lookalike.search.papers.as_published_costs import PublishedCM, PublishedCost, PublishedDM
from lookalike.search.run import Run
from lookalike.solution.recoding import Space

if TYPE_CHECKING:
    from lookalike.search.papers.as_published_classes import Splits

Whole = NDArray[np.int64]
METRICS = ("discernibility", "classification")
MAX_CUTS = 500  # the tree is walked by recursion, one step for each cut
INFINITE = 2**63 - 1  # the cost of what is over the limit; costs are integers, so all is exact


@dataclass(frozen=True, slots=True, eq=False)
class NodeBounds:
    """The bounds of a node and of each cut of its tail, before any child is expanded."""

    bound: int  # on the cost of all nodes of the subtree
    bounds: Whole  # (tail,) on those that have the cut
    splits: Splits


class Tree:
    """The set-enumeration tree. A node has a head, the cuts made, and a tail, cuts that may follow.

    ``best`` is the cost of a solution that is known already, if any. ``on_improvement`` is called
    with each improvement. ``check_limits`` is called at every node, and may raise to stop the
    search.
    """

    def __init__(
        self,
        ranks: NDArray[np.int32],  # (groups, columns) the place of each value in its column's order
        labels: Whole,  # (groups, labels) rows with each class label; (groups, 1) if there is none
        column: NDArray[np.int32],  # (cuts,) in one numbering: column by column, each in its order
        place: NDArray[np.int32],  # (cuts,) separates the values at places below it from the rest
        k: int,
        limit: int,  # rows that may be suppressed, never all
        cost: PublishedCost,
        *,
        best: int = INFINITE,
        on_improvement: Callable[[int, tuple[int, ...]], object] = lambda cost, head: None,
        check_limits: Callable[[], object] = lambda: None,
    ) -> None:
        from lookalike.search.papers.as_published_classes import HeadClasses  # late: loads numba

        self.classes = HeadClasses(ranks, labels, column, place, k)
        self.limit = min(limit, max(0, int(labels.sum()) - 1))
        self.cost = cost
        self.best = best  # still INFINITE at the end: no recoding is within the limit
        self.best_head: tuple[int, ...] | None = None  # None: nothing is cheaper than the seed
        self.on_improvement = on_improvement
        self.check_limits = check_limits
        self.head: list[int] = []
        self.nodes = 0  # visited
        self._last: tuple[object, NodeBounds] | None = None

    def search(self, forced: Sequence[int], tail: Sequence[int]) -> None:
        """Every set of cuts that has the forced ones and any of the tail: none costs below best."""
        for cut in forced:
            self.add(cut)
        self.k_optimize(np.array(tail, dtype=np.int64))

    def k_optimize(self, tail: Whole) -> None:
        """Figure 5, K-OPTIMIZE: find the cheapest node of the subtree, if cheaper than the best."""
        self.nodes += 1
        self.check_limits()
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
        """Figure 5, PRUNE: remove cuts that cannot lead to a cost below the best.

        Corrected: a cut is removed if the *bound* of its imaginary node is not below the best
        (5.1), not if PRUNE leaves that node without a tail, which it always would. A smaller allset
        raises the bounds, so this is repeated until no cut is removed.
        """
        while len(tail):
            node = self.bounds(tail)
            if node.bound >= self.best:
                return tail[:0]
            hopeful = node.bounds < self.best
            if hopeful.all():
                break
            tail = tail[hopeful]
        return tail

    def prune_useless_values(self, tail: Whole) -> Whole:
        """5.3: remove cuts that can be taken out of any recoding below without raising its cost.

        Conservative: the cut only makes classes smaller than k (claim 5.4). Liberal: one part of
        each class that it splits is smaller than k; ``cost.liberal`` says whether that is sound.
        """
        if not len(tail):
            return tail
        splits = self.bounds(tail).splits
        kept = splits.both_kept if self.cost.liberal(self.best) else splits.one_kept
        return tail[kept > 0]

    def reorder(self, tail: Whole) -> Whole:
        """5.5: first the cuts that split the most classes; among equal ones, the least Σ|E|².

        Suppressed classes are not counted, because splitting them has no effect.
        """
        if not len(tail):
            return tail
        splits = self.bounds(tail).splits
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
            self.on_improvement(cost, self.best_head)

    def bounds(self, tail: Whole) -> NodeBounds:
        """The bound of the node, and of the imaginary node of each cut v: H ∪ {v} with T − {v}.

        All of these have the same allset. So a cut raises the bound only by the rows that it
        suppresses.
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
        node = NodeBounds(
            bound if suppressed <= self.limit else INFINITE,
            np.where(suppressed + splits.lost <= self.limit, bound + splits.charge, INFINITE),
            splits,
        )
        self._last = (at, node)
        return node

    def add(self, cut: int) -> None:
        self.classes.split(cut)
        self.head.append(cut)

    def remove(self) -> None:
        self.classes.merge()
        self.head.pop()


@dataclass(frozen=True, slots=True)
class KOptimizeAsPublished(Algorithm):
    """K-Optimize as published: exact for k-anonymity and DM or CM, over cuts of ordered columns.

    It rests on the paper's observations 5.1 and 5.2, its claims 5.3 and 5.4, and the corrected rule
    of useless values (``as_published_costs.py``). It leaves no proof; ``KOptimize`` is faster.

    Parameters
    ----------
    seeded : bool
        If rows may be suppressed: first find the best recoding that suppresses none, and then
        search only for cheaper ones (figure 7a).

    Raises
    ------
    PolicyError
        If it is not True or False.

    References
    ----------
    Bayardo and Agrawal 2005. Data privacy through optimal k-anonymization.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(
    ...     quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3),
    ...     metric="discernibility",
    ... )
    >>> la.solve(la.prepare(table, policy), la.KOptimizeAsPublished())
    <Solution: optimal, cuts, k-optimize-printed, cost 18>
    """

    seeded: bool = True
    name = "k-optimize-printed"
    space = Space.CUTS
    promise = (
        "K-Optimize as published searches its whole tree: no recoding by cuts costs less. It "
        "leaves no proof that can be checked."
    )
    exact = True
    only_by_name = True  # it may take very long

    def __post_init__(self) -> None:
        check_flag("KOptimizeAsPublished(seeded=...)", self.seeded)

    def why_unsuitable(self, problem: Problem) -> str | None:
        reason = _why_not_in_the_paper(problem) or why_not_cut(problem)
        if reason is not None:
            return reason
        space = problem.cut_space
        if (space.needs != NONE).any():
            return 'it cuts anywhere, without regard to groups of the hierarchy; use cuts = "free"'
        if len(space.column) > MAX_CUTS:
            return f"it takes at most {MAX_CUTS} cuts, and there are {len(space.column):,}"
        return None

    def compile_kernels(self, problem: Problem) -> None:
        search_small_problem(type(self), "discernibility", in_order=True)

    def search(self, run: Run) -> None:
        space = run.problem.cut_space
        allowance = run.problem.allowance

        def check_limits() -> None:
            run.mind_limits()
            run.checks += 1
            run.tick()

        best = INFINITE if math.isinf(run.cost) else round(run.cost)
        for limit in sorted({0, allowance}) if self.seeded else [allowance]:
            tree = tree_of(run.problem, limit)
            tree.best, tree.check_limits = best, check_limits
            tree.on_improvement = lambda cost, head: run.offer(space.recoding(head))
            tree.search(*start(space))
            best = tree.best
        # The whole tree was searched: nothing within the allowance costs less than best.


def _why_not_in_the_paper(problem: Problem) -> str | None:
    """A sentence on what the policy asks for that is not in the paper; None if nothing."""
    policy, conventions = problem.policy, problem.policy.conventions
    if policy.metric.name not in METRICS:
        return f"it knows only the metrics {' and '.join(METRICS)}"
    if not problem.one_set:
        return "it takes one set of columns for linking, and the policy has several"
    starred = conventions.suppressed == "star" and conventions.stars == "own"
    if starred and problem.allowance:
        return (
            "starred rows must be none or at least k, which it cannot take into account; use "
            'suppressed = "drop" or suppress = 0'
        )
    return None


def tree_of(problem: Problem, limit: int) -> Tree:
    """The tree over a problem's cuts."""
    space, (ranks, labels) = problem.cut_space, ranks_and_labels(problem)
    cost: PublishedCost = PublishedCM()
    if labels is None:
        cost, labels = PublishedDM(problem.rows, problem.smallest), problem.counts.counts[:, None]
    return Tree(ranks, labels, space.column, space.place, problem.smallest, limit, cost)


def start(space: CutSpace) -> tuple[list[int], list[int]]:
    """The root's head and tail: what the policy's levels force, and what else they allow."""
    forced, allowed = space.forced, space.allowed & ~space.forced
    return np.flatnonzero(forced).tolist(), np.flatnonzero(allowed).tolist()
