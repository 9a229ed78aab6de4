"""K-Optimize, as fast as we can make it: the cheapest cuts, proved (Bayardo and Agrawal 2005).

Open nodes wait in a queue, the one with the least bound first. Some at a time are searched a little
way down, on all cores, in compiled code, and what they leave open returns to the queue
(``k_optimize_tree.py``). When the queue is empty, or no bound in it is below the best cost, that
cost is proved.

The outcome does not depend on the number of cores: a batch always has the same size, and its
members share the best cost that was known before it.
"""

from __future__ import annotations

import hashlib
import math
import os
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache

import numpy as np

from lookalike.errors import Fault, PolicyError
from lookalike.events import silent
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cut_space import in_order
from lookalike.search.algorithm import Algorithm
from lookalike.search.algorithm_options import number, whole_number, word
from lookalike.search.cuts.cut_suitability import BY_ROW, no_bound
from lookalike.search.cuts.greedy_descent import descend
from lookalike.search.cuts.k_optimize_layout import cost_dtype, lay_out, too_large
from lookalike.search.cuts.k_optimize_tree import CutNode, SearchTree, explore_below
from lookalike.search.cuts.loss.branch_and_bound import LossSearch
from lookalike.search.cuts.loss.layout import lay_out_losses, too_wide
from lookalike.search.jit_warmup import small_problem
from lookalike.search.limits import Limits
from lookalike.search.option_checks import check_number, check_whole
from lookalike.search.run import Run
from lookalike.solution.proof import By, CutTree
from lookalike.solution.recoding import Cuts, Space
from lookalike.solution.solution import Solution
from lookalike.solution.solution_file import load

SOLUTION_FILE = "the file of a solution"
POLL_SECONDS = 0.05  # between two looks at the limits


@dataclass(frozen=True, slots=True)
class KOptimize(Algorithm):
    """Exact search for the cheapest cuts of ordered columns, with a proof that can be re-checked.

    When it is stopped, it returns the best recoding so far and a lower bound.

    Parameters
    ----------
    start : Cuts, optional
        A recoding to begin with, for example from a heuristic.
    below : float, optional
        Search only for recodings that cost less than this.
    resume : Solution, optional
        The solution of a stopped search, to continue with its recoding, tree and bound.
    long : str, optional
        The column that is cut by dynamic programming.
    threads : int, optional
        Threads that search; with loss and entropy it is always one.

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
    >>> la.solve(la.prepare(table, policy), la.KOptimize())
    <Solution: optimal, cuts, k-optimize, cost 18>
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
            problem = f"{type(given).__name__} is not a solution"
            raise PolicyError(Fault("KOptimize(resume=...)", problem, fix))

    def why_unsuitable(self, problem: Problem) -> str | None:  # noqa: PLR0911 - one a sentence
        if (why_not := no_bound(problem)) is not None:
            return why_not
        if self.long is not None and self.long not in problem.names:
            known = ", ".join(problem.names)
            return f"there is no column {self.long} to take as the long one; use one of: {known}"
        if self.resume is not None and self.resume.proof.tree is None:
            return "the solution to resume has no tree of a search; give its recoding as start"
        if self.resume is not None and self._tree.asked != problem_digest(problem):
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
            _compile_tree_kernels(cost_dtype(problem.rows) is np.int64)

    def search(self, run: Run) -> None:
        if self.start is not None:
            run.offer(self.start)
        resumed = self.resume.recoding if self.resume is not None else None
        if resumed is not None and resumed.space is self.space:
            run.offer(resumed)
        long, digest = self._long(run.problem), problem_digest(run.problem)
        resume = None if self.resume is None else self._tree
        if by_row(run.problem):
            search = LossSearch(lay_out_losses(run.problem, long), run, digest, self._aim(run))
            self._keep_bound(run)
            search.explore(resume)
            return
        instance = lay_out(run.problem, long)
        tree = SearchTree(instance, digest, resume)
        run.tree = tree.proof
        self._keep_bound(run)
        if self.resume is None:
            for _, flags in descend(instance, run.mind_limits):
                run.offer(instance.recoding(flags))
        self._prove(run, tree)
        with ThreadPoolExecutor(self.threads or os.cpu_count() or 1) as pool:
            while tree.waits(self._cutoff(run)):
                run.mind_limits()
                self._explore(run, tree, tree.next_batch(self._cutoff(run)), pool)

    def _explore(
        self, run: Run, tree: SearchTree, batch: list[CutNode], pool: ThreadPoolExecutor
    ) -> None:
        """Search below some nodes; if a limit stops it, keep what was learned by then."""
        halt = np.zeros(1, dtype=np.int64)
        cutoff = self._cutoff(run)
        futures = [pool.submit(explore_below, tree.instance, node, cutoff, halt) for node in batch]
        try:
            while wait(futures, POLL_SECONDS).not_done:
                run.mind_limits()
        finally:
            halt[0] = 1
            explored = [future.result() for future in futures]
            for recoding in tree.learn(batch, explored, cutoff):
                run.keep(recoding)
            run.checks += sum(below.nodes for below in explored)
            self._prove(run, tree)
        run.tick()

    def _keep_bound(self, run: Run) -> None:
        """Take over the bound of a stopped search; the verifier checks the whole tree later."""
        if self.resume is not None and math.isfinite(self.resume.bound):
            run.prove(self.resume.bound, By.TREE)

    @property
    def _tree(self) -> CutTree:
        assert self.resume is not None
        assert self.resume.proof.tree is not None
        return self.resume.proof.tree

    def _prove(self, run: Run, tree: SearchTree) -> None:
        """Report the bound that follows from the tree so far."""
        tree.aim = self._aim(run)
        run.prove(tree.bound(), By.TREE)

    def _long(self, problem: Problem) -> int | None:
        if self.resume is not None:
            return problem.names.index(self._tree.long)
        return None if self.long is None else problem.names.index(self.long)

    def _aim(self, run: Run) -> float:
        """Only recodings cheaper than this are searched for."""
        before = math.inf if self.resume is None else self._tree.below
        return min(run.cost, before, math.inf if self.below is None else self.below)

    def _cutoff(self, run: Run) -> int:
        """The same as a whole number, at most one more than any recoding can cost."""
        rows = run.problem.rows
        above_all = 1 + (rows * rows if run.problem.policy.metric.class_column is None else rows)
        return math.ceil(min(self._aim(run), above_all))


@cache
def _compile_tree_kernels(wide: bool) -> None:
    """Large tables need wider numbers, and kernels of their own for them."""
    instance = lay_out(small_problem()).with_costs_as(np.int64 if wide else np.int32)
    for _ in descend(instance):
        pass
    explore_below(instance, SearchTree(instance).queue[0][2], 65, np.zeros(1, dtype=np.int64))


@cache
def _compile_loss_kernels() -> None:
    """With an allowance below the cheapest number of suppressed rows, so that they are counted."""
    problem = small_problem("loss", in_order=True)
    run = Run(problem, Limits(), silent, 0, Space.CUTS)
    LossSearch(lay_out_losses(problem), run, "", math.inf).explore()


def by_row(problem: Problem) -> bool:
    """Does the metric add up row by row? It then has a search of its own."""
    return problem.policy.metric.name in BY_ROW


def problem_digest(problem: Problem) -> str:
    """A digest of everything that a search over cuts depends on."""
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
