"""A problem laid out for searching cuts: profiles of the branching columns, the long one in prefix
sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cut_space import CutSpace
from lookalike.solution.recoding import Cuts

DM, CM = 0, 1  # as the kernels name them
MOST = 1 << 26  # prices kept at once, by each thread
SMALL = 1 << 30  # costs below this fit 32 bits, with room for the sum of two


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """Counts and costs as arrays; ``branching`` cuts are numbered on their own, from 0."""

    space: CutSpace
    metric: int
    k: int
    limit: int
    rows: int
    long: int  # the column that is cut by dynamic programming
    cost: NDArray[Any]  # (rows + 1,) what so many rows cost as one class
    least: NDArray[Any]  # (rows + 1,) and at least, however they are parted; 0 rows: too much
    first: NDArray[np.int64]  # a branching column: its first cut
    width: NDArray[np.int64]  # its values
    cut: NDArray[np.int64]  # (branching cuts,) the number in the space of cuts
    state: NDArray[np.int8]  # (branching cuts,) 1 forced, 0 open, −1 not allowed
    needs: NDArray[np.int64]  # (branching cuts, 2) or −1
    places: NDArray[np.int64]  # where the long column may be cut, with both ends
    banned: NDArray[np.bool_]  # (values + 1, values + 1) intervals it may not have
    profile: NDArray[np.int32]  # (profiles, branching columns)
    weight: NDArray[np.int32]  # (profiles, planes · (values + 1))
    planes: int

    def recoding(self, found: NDArray[np.bool_]) -> Cuts:
        """From the kernels' flags: branching cuts, then places of the long column."""
        start = int(np.searchsorted(self.space.column, self.long))
        branching, places = found[: len(self.cut)], found[len(self.cut) :]
        chosen = [*self.cut[branching], *(start + np.flatnonzero(places) - 1)]
        return self.space.recoding(map(int, chosen))

    def flags(self, recoding: Cuts) -> NDArray[np.bool_]:
        """And back."""
        chosen = set(self.space.chosen(recoding))
        found = np.zeros(len(self.cut) + len(self.banned), dtype=np.bool_)
        found[: len(self.cut)] = [int(cut) in chosen for cut in self.cut]
        for place in recoding.cuts[self.long]:
            found[len(self.cut) + place] = True
        return found


def lay_out(problem: Problem, long: int | None = None) -> Instance:
    """Everything that the kernels need to know of a problem."""
    space = problem.cut_space
    ranks = np.stack(
        [rank[problem.counts.codes[:, a]] for a, rank in enumerate(space.rank)], axis=1
    ).astype(np.int32)
    column = problem.policy.metric.class_column
    labels = None
    if column is not None:
        labels = problem.counts.sensitive[column].dense(problem.counts.groups)
    long = longest(space, ranks, problem.counts.counts) if long is None else long
    others = [a for a in range(len(space.names)) if a != long]
    profile, of = np.unique(ranks[:, others], axis=0, return_inverse=True)
    weight, planes = _prefixes(
        of.reshape(-1), ranks[:, long], problem.counts.counts, labels,
        len(profile), len(space.rank[long]),
    )  # fmt: skip
    cost, least = prices(problem.rows, problem.smallest)
    mine = np.flatnonzero(space.column != long)
    number = np.full(len(space.column) + 1, -1)
    number[mine] = np.arange(len(mine))
    widths = np.array([len(space.rank[a]) for a in others], dtype=np.int64)
    state = np.where(space.forced[mine], 1, np.where(space.allowed[mine], 0, -1)).astype(np.int8)
    places, banned = long_places(space, long)
    return Instance(
        space=space,
        metric=DM if column is None else CM,
        k=problem.smallest,
        limit=min(problem.allowance, problem.rows - 1),
        rows=problem.rows,
        long=long,
        cost=cost,
        least=least,
        first=np.concatenate([[0], np.cumsum(widths - 1)])[:-1].astype(np.int64),
        width=widths,
        cut=mine,
        state=state,
        needs=number[space.needs[mine]].reshape(-1, 2),
        places=places,
        banned=banned,
        profile=profile.astype(np.int32).reshape(len(profile), len(others)),
        weight=weight,
        planes=planes,
    )


def too_large(problem: Problem, long: int | None = None) -> str | None:
    """Why a search by dynamic programming would not fit in memory, in a sentence; None if it does.

    It keeps a price for every interval of the long column and every cut of the others.
    """
    space = problem.cut_space
    if long is None:
        ranks = [rank[problem.counts.codes[:, a]] for a, rank in enumerate(space.rank)]
        long = longest(space, np.stack(ranks, axis=1), problem.counts.counts)
    own = space.column == long
    places = int(space.allowed[own].sum()) + 2
    others = int((~own).sum())
    if others * places * (places + 1) // 2 <= MOST:
        return None
    return (
        f"{problem.names[long]} can be cut at {places - 2:,} places, and others at {others:,}: "
        "more than it can weigh at once; set the finest levels of long columns higher"
    )


def longest(space: CutSpace, ranks: NDArray[np.int32], counts: NDArray[np.int64]) -> int:
    """The column with most values, rare ones counting for little: 2 to the power of its entropy."""
    spread = []
    for a in range(len(space.names)):
        rows = np.bincount(ranks[:, a], weights=counts)
        share = rows[rows > 0] / rows.sum()
        open_cuts = (space.column == a) & space.allowed & ~space.forced
        spread.append((float(-(share * np.log2(share)).sum()) if open_cuts.any() else -1.0, -a))
    return -max(spread)[1]


def wide_enough(rows: int) -> type[np.int32] | type[np.int64]:
    """Numbers for the costs of so many rows."""
    return np.int32 if rows * rows < SMALL else np.int64


def prices(rows: int, k: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """DM: what n rows cost as one class, and the least they cost however they are parted.

    As classes they cost least in as many equal parts as k allows; and any of them may be
    suppressed. Part with 0 rows are no part: ``least[0]`` is more than everything.
    """
    n = np.arange(rows + 1, dtype=np.int64)
    cost = np.where(n < k, n * rows, n * n)
    parts = np.maximum(n // k, 1)
    each, over = n // parts, n % parts
    least = np.where(n < k, n * rows, each * each * (parts - over) + (each + 1) ** 2 * over)
    suppressing = np.minimum.accumulate(least - n * rows) + n * rows  # one more row, one by one
    least = np.minimum(least, suppressing)
    dtype = wide_enough(rows)
    least[0] = SMALL if dtype is np.int32 else 1 << 60
    return cost.astype(dtype), least.astype(dtype)


def _prefixes(
    of: NDArray[np.int64],
    value: NDArray[np.int32],
    counts: NDArray[np.int64],
    labels: NDArray[np.int64] | None,
    profiles: int,
    values: int,
) -> tuple[NDArray[np.int32], int]:
    """(profiles, planes · (values + 1)) rows before each place; all, then by label but the last."""
    planes = [counts] if labels is None else [counts, *labels.T[: max(1, labels.shape[1] - 1)]]
    held = np.zeros((profiles, len(planes), values + 1), dtype=np.int64)
    for plane, rows in enumerate(planes):
        np.add.at(held[:, plane], (of, value + 1), rows)
    return np.cumsum(held, axis=2).astype(np.int32).reshape(profiles, -1), len(planes)


def long_places(space: CutSpace, long: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where the long column may be cut, and which intervals the policy forbids."""
    values = len(space.rank[long])
    own = np.flatnonzero(space.column == long)
    places = [0, *(space.place[cut] for cut in own if space.allowed[cut]), values]
    banned = np.zeros((values + 1, values + 1), dtype=np.bool_)
    for cut in own:
        place = space.place[cut]
        if space.forced[cut]:
            banned[:place, place + 1 :] = True  # no interval reaches over it
        for needed in space.needs[cut]:
            if needed < 0:
                continue
            over = int(space.place[needed])  # no interval that ends here reaches over what it needs
            banned[place, max(over, place) + 1 :] |= over > place
            banned[: min(over, place), place] |= over < place
    return np.array(places, dtype=np.int64), banned
