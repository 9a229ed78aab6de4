"""A problem laid out for a search over cuts: the long column, and the table for the kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cut_space import CutSpace, in_order
from lookalike.search.cuts.k_optimize_arrays import IN, OPEN, OUT, CutTable, State
from lookalike.solution.recoding import Cuts

MAX_PRICES = 1 << 26  # kept at once, by each thread
MAX_NARROW_COST = 1 << 30  # costs below this fit 32 bits, and so does the sum of two


@dataclass(frozen=True, slots=True, eq=False)
class CutInstance:
    """The table of a problem for compiled code, and how to read the cuts that this finds."""

    space: CutSpace
    long: int  # the column that is cut by dynamic programming
    cut: NDArray[np.int64]  # (cuts,) the number of each branching cut in the space of cuts
    state: State  # (cuts,) of the root: forced cuts are in, those not allowed are out
    places: NDArray[np.int64]  # where the long column may be cut, with both ends
    table: CutTable

    def recoding(self, flags: NDArray[np.bool_]) -> Cuts:
        """From the kernels' flags: branching cuts, then places of the long column."""
        start = int(np.searchsorted(self.space.column, self.long))
        branching, places = flags[: len(self.cut)], flags[len(self.cut) :]
        chosen = [*self.cut[branching], *(start + np.flatnonzero(places) - 1)]
        return self.space.recoding(map(int, chosen))

    def with_costs_as(self, dtype: type[np.int32] | type[np.int64]) -> CutInstance:
        """The same with costs in narrow or wide numbers."""
        table = self.table
        cost, least = table.class_cost.astype(dtype), table.least_cost.astype(dtype)
        return replace(self, table=table._replace(class_cost=cost, least_cost=least))


def ranks_and_labels(problem: Problem) -> tuple[NDArray[np.int32], NDArray[np.int64] | None]:
    """(groups, columns) places of the values in their order; by CM, (groups, labels) the rows."""
    counts, column = problem.counts, problem.policy.metric.class_column
    ranks = [rank[counts.codes[:, a]] for a, rank in enumerate(problem.cut_space.rank)]
    labels = None if column is None else counts.sensitive[column].dense(counts.groups)
    return np.stack(ranks, axis=1), labels


def lay_out(problem: Problem, long: int | None = None) -> CutInstance:
    """Everything that the kernels need to know about a problem."""
    space, (ranks, labels) = problem.cut_space, ranks_and_labels(problem)
    long = longest_column(problem) if long is None else long
    branching = [a for a in range(len(space.names)) if a != long]
    codes, profile = np.unique(ranks[:, branching], axis=0, return_inverse=True)
    planes = [problem.counts.counts]
    if labels is not None:
        planes += list(labels.T[: max(1, labels.shape[1] - 1)])  # but for the last
    rows = np.zeros((len(codes), len(planes), len(space.rank[long]) + 1), dtype=np.int64)
    for plane, own in enumerate(planes):
        np.add.at(rows[:, plane], (profile.reshape(-1), ranks[:, long] + 1), own)
    class_cost, least_cost = class_costs(problem.rows, problem.smallest)
    cut = np.flatnonzero(space.column != long)
    number = np.full(len(space.column) + 1, -1)
    number[cut] = np.arange(len(cut))
    width = np.array([len(space.rank[a]) for a in branching], dtype=np.int64)
    state = np.where(space.forced, IN, np.where(space.allowed, OPEN, OUT)).astype(np.int8)
    places, banned = long_places(space, long)
    return CutInstance(
        space=space,
        long=long,
        cut=cut,
        state=state[cut],
        places=places,
        table=CutTable(
            k=problem.smallest,
            limit=min(problem.allowance, problem.rows - 1),
            rows=problem.rows,
            by_label=labels is not None,
            class_cost=class_cost,
            least_cost=least_cost,
            first=np.concatenate([[0], np.cumsum(width - 1)])[:-1].astype(np.int64),
            width=width,
            needs=number[space.needs[cut]].reshape(-1, 2),
            banned=banned,
            codes=codes.astype(np.int32).reshape(len(codes), len(branching)),
            planes=len(planes),
            rows_before=np.cumsum(rows, axis=2).astype(np.int32).reshape(len(codes), -1),
        ),
    )


def too_large(problem: Problem, long: int | None = None) -> str | None:
    """Why a search by dynamic programming would not fit in memory, in a sentence; None if it does.

    It keeps a price for every interval of the long column and every cut of the others.
    """
    long = longest_column(problem) if long is None else long
    own = problem.cut_space.column == long
    places = int(problem.cut_space.allowed[own].sum()) + 2
    others = int((~own).sum())
    if others * places * (places + 1) // 2 <= MAX_PRICES:
        return None
    return (
        f"{problem.names[long]} can be cut at {places - 2:,} places, and others at {others:,}: "
        "too many to evaluate at once; raise the lowest level of columns with many values"
    )


def longest_column(problem: Problem) -> int:
    """The column of the greatest entropy: with most values, where rare values count little."""
    space, spread = problem.cut_space, []
    for a, table in enumerate(problem.tables):
        rows = problem.counts.marginal(a)[in_order(table)]
        share = rows[rows > 0] / rows.sum()
        open_cuts = (space.column == a) & space.allowed & ~space.forced
        spread.append((float(-(share * np.log2(share)).sum()) if open_cuts.any() else -1.0, -a))
    return -max(spread)[1]


def cost_dtype(rows: int) -> type[np.int32] | type[np.int64]:
    """Numbers wide enough for the costs of a table with this many rows."""
    return np.int32 if rows * rows < MAX_NARROW_COST else np.int64


def class_costs(rows: int, k: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """DM: what n rows cost as one class, and the least they cost in any parts.

    They cost least in as many equal parts as k allows; and any of them may be suppressed. A part
    without rows is not a part: for n = 0 the least cost is more than every cost.
    """
    n = np.arange(rows + 1, dtype=np.int64)
    cost = np.where(n < k, n * rows, n * n)
    parts = np.maximum(n // k, 1)
    each, over = n // parts, n % parts
    least = np.where(n < k, n * rows, each * each * (parts - over) + (each + 1) ** 2 * over)
    suppressing = np.minimum.accumulate(least - n * rows) + n * rows  # one more row, one by one
    least = np.minimum(least, suppressing)
    dtype = cost_dtype(rows)
    least[0] = MAX_NARROW_COST if dtype is np.int32 else 1 << 60
    return cost.astype(dtype), least.astype(dtype)


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
        needed = space.needs[cut]
        for over in space.place[needed[needed >= 0]].tolist():
            # No interval that ends here reaches over what it needs.
            banned[place, max(over, place) + 1 :] |= over > place
            banned[: min(over, place), place] |= over < place
    return np.array(places, dtype=np.int64), banned
