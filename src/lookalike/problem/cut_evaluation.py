"""What a recoding by cuts makes of a table: who looks alike, what it costs, is it safe?

Intervals are counted by the kernels of the lattice, as the one level of a hierarchy made for the
occasion.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.metric import CountedIntervals
from lookalike.counts.classes import Classes
from lookalike.counts.kernel_layout import Encoded
from lookalike.solution.recoding import Cuts

if TYPE_CHECKING:
    from lookalike.problem.problem import Problem


@dataclass(frozen=True, slots=True, eq=False)
class CutsEvaluation:
    """What is known of a recoding by cuts once it has been counted."""

    recoding: Cuts
    meets: bool
    suppressed: int  # rows of classes that are too small
    classes: int  # released classes
    cost: float


@dataclass(frozen=True, slots=True, eq=False)
class CountedCuts:
    """Who looks alike between the cuts."""

    of: tuple[NDArray[np.int64], ...]  # per column (leaves,): the interval of each leaf
    classes: Classes
    broken: NDArray[np.bool_]  # (classes,) not released
    gone: NDArray[np.int32]  # (broken classes, columns) the intervals they lie in


def evaluate_cuts(problem: Problem, recoding: Cuts) -> CutsEvaluation:
    """Count a recoding by cuts and judge it."""
    counted = count_cuts(problem, recoding)
    classes, broken = counted.classes, counted.broken
    suppressed = int(classes.sizes[broken].sum())
    meets = (
        problem.can_be_cut
        and problem.cut_space.holds(recoding)
        and problem.may_suppress(suppressed)
        and problem.may_go(classes, broken)
    )
    cost = problem.costing.cuts(
        CountedIntervals(counted.of, classes, broken, counted.gone, suppressed)
    )
    return CutsEvaluation(recoding, meets, suppressed, len(classes) - int(broken.sum()), cost)


def count_cuts(problem: Problem, recoding: Cuts) -> CountedCuts:
    """The classes of a recoding by cuts, and which of them may not be released."""
    from lookalike.counts.counting_kernels import gather  # late: loads numba

    of = problem.cut_space.intervals(recoding)
    encoded = _encoded(problem, recoding, of)
    only = np.zeros(len(of), dtype=np.int64)
    classes = gather(encoded, encoded.ground, only)
    codes = encoded.codes(only, classes.member)
    sets = [] if problem.one_set else [codes[:, columns] for columns in problem.sets]
    broken = problem.rules.broken(classes, sets)
    return CountedCuts(of, classes, broken, codes[broken])


def _encoded(problem: Problem, recoding: Cuts, of: tuple[NDArray[np.int64], ...]) -> Encoded:
    """The problem's counts, with the intervals in place of the levels."""
    starts = np.cumsum([0, *map(len, of)])[:-1]
    width = np.array([len(cuts) + 1 for cuts in recoding.cuts], dtype=np.int64)
    return replace(
        problem.encoded,
        lookup=np.concatenate(of).astype(np.int32),
        offset=starts.astype(np.int64)[:, None],
        width=width[:, None],
    )
