"""A table laid out for searches that change a set of cuts step by step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cut_space import CutSpace
from lookalike.search.cuts.cut_suitability import no_cuts
from lookalike.search.jit_warmup import small_problem
from lookalike.search.run import Run

Flags = NDArray[np.bool_]
MOST = 1 << 28  # counts kept at once


def no_steps(problem: Problem) -> str | None:
    """What a search step by step cannot work with, in a sentence."""
    if (why_not := no_cuts(problem)) is not None:
        return why_not
    widest = max(problem.tables, key=lambda table: table.leaves)
    if problem.counts.groups * widest.leaves > MOST:
        return (
            f"{problem.counts.groups:,} distinct tuples and {widest.leaves:,} values of "
            f"{widest.name} are too many to count at once"
        )
    return None


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """The cost of a set of cuts, and of its neighbors. A set has one flag for each cut."""

    space: CutSpace
    metric: int  # 0 DM, 1 CM
    k: int
    limit: int
    rows: int
    codes: NDArray[np.int32]  # (groups, columns) places of the values in their order
    counts: NDArray[np.int64]  # (groups, planes) rows, then rows of each class label
    first: NDArray[np.int64]  # a column: its first cut
    width: NDArray[np.int64]  # a column: its values

    @staticmethod
    def of(problem: Problem) -> Steps:
        space = problem.cut_space
        codes = [rank[problem.counts.codes[:, a]] for a, rank in enumerate(space.rank)]
        column = problem.policy.metric.class_column
        counts = [problem.counts.counts]
        if column is not None:
            counts += list(problem.counts.sensitive[column].dense(problem.counts.groups).T)
        width = np.array([len(rank) for rank in space.rank], dtype=np.int64)
        return Steps(
            space,
            0 if column is None else 1,
            problem.smallest,
            min(problem.allowance, problem.rows - 1),
            problem.rows,
            np.stack(codes, axis=1).astype(np.int32),
            np.stack(counts, axis=1).astype(np.int64),
            np.concatenate([[0], np.cumsum(width - 1)])[:-1].astype(np.int64),
            width,
        )

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
        needs = self.space.needs
        while True:
            lacking = flags & ((needs >= 0) & ~flags[needs]).any(axis=1)
            if not lacking.any():
                return flags
            flags = flags & ~lacking

    def value(self, flags: Flags) -> int:
        """What the set costs; too many suppressed rows cost more than anything."""
        nothing = np.zeros(0, dtype=np.int64)
        return self._judged(*self._look(flags, nothing, nothing, neighbors=False))

    def around(self, flags: Flags) -> tuple[int, NDArray[np.int64]]:
        """The same, and (cuts,) the value with each free cut changed."""
        steps, lost = np.zeros((2, len(flags)), dtype=np.int64)
        cost, suppressed = self._look(flags, steps, lost, neighbors=True)
        over = np.maximum(0, suppressed + lost - self.limit)
        values = cost + steps + over * self._fine
        values[~self.space.allowed | self.space.forced] = np.iinfo(np.int64).max
        needs = self.space.needs
        lacking = ~flags & ((needs >= 0) & ~flags[needs]).any(axis=1)
        needed = np.unique(needs[flags & (needs >= 0).any(axis=1)])
        values[lacking] = np.iinfo(np.int64).max
        values[needed[needed >= 0]] = np.iinfo(np.int64).max
        return self._judged(cost, suppressed), values

    def offer(self, run: Run, flags: Flags) -> None:
        run.offer(self.space.recoding(np.flatnonzero(flags).tolist()))

    @property
    def _fine(self) -> int:
        """For each row suppressed beyond the limit."""
        return 2 * self.rows * (self.rows if self.metric == 0 else 1)

    def _judged(self, cost: int, suppressed: int) -> int:
        return int(cost) + max(0, int(suppressed) - self.limit) * self._fine

    def _look(
        self, flags: Flags, steps: NDArray[np.int64], lost: NDArray[np.int64], *, neighbors: bool
    ) -> tuple[int, int]:
        from lookalike.search.cuts.local_search_kernels import look  # late: loads numba

        found: tuple[int, int] = look(
            self.metric, self.k, self.rows, self.codes, self.counts, self.first, self.width,
            flags.astype(np.int64), steps, lost, neighbors,
        )  # fmt: skip
        return found


@cache
def compile_step_kernels() -> None:
    """Once per process, on a small problem."""
    steps = Steps.of(small_problem("discernibility", in_order=True))
    steps.around(steps.space.forced.copy())
