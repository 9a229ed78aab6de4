"""Searches that change a set of cuts step by step, and a table laid out for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cut_space import CutSpace
from lookalike.search.algorithm import Algorithm
from lookalike.search.cuts.cut_suitability import no_cuts
from lookalike.search.cuts.k_optimize_layout import ranks_and_labels
from lookalike.search.jit_warmup import small_problem
from lookalike.search.run import Run
from lookalike.solution.recoding import Space

Flags = NDArray[np.bool_]
Whole = NDArray[np.int64]
MAX_COUNTS = 1 << 28  # of values by distinct tuple, kept at once


class LocalSearch(Algorithm):
    """A search that changes a set of cuts step by step."""

    __slots__ = ()

    space = Space.CUTS

    def why_unsuitable(self, problem: Problem) -> str | None:
        if (why_not := no_cuts(problem)) is not None:
            return why_not
        widest = max(problem.tables, key=lambda table: table.leaves)
        if problem.counts.groups * widest.leaves > MAX_COUNTS:
            return (
                f"{problem.counts.groups:,} distinct tuples and {widest.leaves:,} values of "
                f"{widest.name} are too many to count at once"
            )
        return None

    def compile_kernels(self, problem: Problem) -> None:
        compile_step_kernels()


class StepTable(NamedTuple):
    """The table for compiled code."""

    by_label: bool  # the metric is CM, not DM
    k: int
    rows: int
    codes: NDArray[np.int32]  # (groups, columns) places of the values in their order
    counts: Whole  # (groups, planes) rows, then rows of each class label
    first: Whole  # (columns,) the first cut of each
    width: Whole  # (columns,) its values


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """What a set of cuts costs, and what its neighbors cost. Sets are flags, one for each cut."""

    space: CutSpace
    limit: int  # rows that may be suppressed
    table: StepTable

    @staticmethod
    def of(problem: Problem) -> Steps:
        """The table of a problem."""
        space, (codes, labels) = problem.cut_space, ranks_and_labels(problem)
        planes = [problem.counts.counts, *(() if labels is None else labels.T)]
        width = np.array([len(rank) for rank in space.rank], dtype=np.int64)
        table = StepTable(
            labels is not None,
            problem.smallest,
            problem.rows,
            codes,
            np.stack(planes, axis=1).astype(np.int64),
            np.concatenate([[0], np.cumsum(width - 1)])[:-1].astype(np.int64),
            width,
        )
        return Steps(space, min(problem.allowance, problem.rows - 1), table)

    @property
    def free(self) -> NDArray[np.int64]:
        """Cuts that may be made or not."""
        return np.flatnonzero(self.space.allowed & ~self.space.forced)

    def at_random(self, rng: np.random.Generator, share: float) -> Flags:
        """Each free cut with this chance, and those that must be."""
        flags = self.space.forced.copy()
        flags[self.free] |= rng.random(len(self.free)) < share
        return self.repaired(flags)

    def repaired(self, flags: Flags) -> Flags:
        """Without cuts that may not be made as others are missing."""
        while (lacking := flags & self._lacking(flags)).any():
            flags = flags & ~lacking
        return flags

    def _lacking(self, flags: Flags) -> Flags:
        """(cuts,) which cuts need one that is not made."""
        needs = self.space.needs
        return np.asarray(((needs >= 0) & ~flags[needs]).any(axis=1))

    def value(self, flags: Flags) -> int:
        """What the set costs; too many suppressed rows cost more than anything."""
        nothing = np.zeros(0, dtype=np.int64)
        return self._with_fine(*self._price(flags, nothing, nothing, neighbors=False))

    def around(self, flags: Flags) -> tuple[int, Whole]:
        """The same, and (cuts,) the value with each free cut changed."""
        steps, lost = np.zeros((2, len(flags)), dtype=np.int64)
        cost, suppressed = self._price(flags, steps, lost, neighbors=True)
        over = np.maximum(0, suppressed + lost - self.limit)
        values = cost + steps + over * self._fine
        needs = self.space.needs
        needed = np.unique(needs[flags & (needs >= 0).any(axis=1)])
        impossible = ~self.space.allowed | self.space.forced | (~flags & self._lacking(flags))
        impossible[needed[needed >= 0]] = True
        values[impossible] = np.iinfo(np.int64).max
        return self._with_fine(cost, suppressed), values

    def offer(self, run: Run, flags: Flags) -> None:
        run.offer(self.space.recoding(np.flatnonzero(flags).tolist()))

    @property
    def _fine(self) -> int:
        """For each row suppressed beyond the limit."""
        rows = self.table.rows
        return 2 * rows * (1 if self.table.by_label else rows)

    def _with_fine(self, cost: int, suppressed: int) -> int:
        return int(cost) + max(0, int(suppressed) - self.limit) * self._fine

    def _price(
        self, flags: Flags, steps: Whole, lost: Whole, *, neighbors: bool
    ) -> tuple[int, int]:
        from lookalike.search.cuts.local_search_kernels import price_cuts  # late: loads numba

        return price_cuts(self.table, flags.astype(np.int64), steps, lost, neighbors)


@cache
def compile_step_kernels() -> None:
    """Once per process, on a small problem."""
    steps = Steps.of(small_problem("discernibility", in_order=True))
    steps.around(steps.space.forced.copy())
