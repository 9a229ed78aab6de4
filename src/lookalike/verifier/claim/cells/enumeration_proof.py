"""Check that a cell-level recoding is the cheapest: list all classes that a cheaper one could use.

Dual prices give a lower bound (``support_bound.py``). The *reduced cost* of a class is what it
loses beyond its prices. The classes of a recoding cheaper than the claim have reduced costs that
sum to less than the gap between claim and bound. So every class with a larger reduced cost is ruled
out. The others are listed. Second prices rule out more of them in the same way; these may use
triple inequalities (of three rows, no two classes can each contain two). HiGHS chooses from the
rest. Nothing of the search is used; HiGHS is trusted, as it is there.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.solution.proof import DualPrices
from lookalike.verifier.claim.cells.support_bound import CellLayout, Floats, Whole

MAX_CLASSES = 1 << 21  # that are listed
COST_ROUNDING = 1e-6  # costs of a whole table closer than this are equal to HiGHS
ROUNDING = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class RowSets:
    """Sets of rows, by their groups; −1 where a set has no more rows."""

    member: Whole  # (sets, 2k − 1)
    cost: Floats  # (sets,)
    suppressed: NDArray[np.bool_]  # (sets,) one suppressed row each

    def take(self, flags: NDArray[np.bool_]) -> RowSets:
        return RowSets(self.member[flags], self.cost[flags], self.suppressed[flags])

    def priced(self, per_row: Floats) -> Floats:
        """(sets,) the sum of the prices of the rows."""
        prices: Floats = np.where(self.member >= 0, per_row[self.member], 0.0).sum(axis=1)
        return prices


def nothing_cheaper(
    layout: CellLayout,
    per_row: Floats,
    suppression: float,
    bound: float,
    claimed: float,
    second: DualPrices | None,
) -> bool:
    """Whether nothing is cheaper than claimed for the whole table, by valid prices ``per_row``."""
    below = claimed - max(COST_ROUNDING, common_step(layout) - COST_ROUNDING)  # cheaper: at most
    if bound > below:
        return True
    sets = _sets_within(layout, per_row, suppression, below - bound)
    if sets is None:
        return False
    if second is not None:
        bound = _bound_by_second(layout, sets, second)
        if not bound > -math.inf:
            return False
        sets = sets.take(_reduced_costs(sets, second) <= below - bound + ROUNDING)
    return cheapest_choice(layout, sets, per_row) > below


def common_step(layout: CellLayout) -> float:
    """Every cost is a whole multiple of this; 0 if no such number is found."""
    losses = np.unique(np.round(np.append(layout.loss[layout.loss > 0], layout.full), 14))
    if not len(losses) or losses[-1] <= 0:
        return 0.0
    divisor = float(losses[-1])
    for loss in losses.tolist():
        remainder = loss
        while remainder > 1e-9:  # Euclid's algorithm
            divisor, remainder = remainder, math.fmod(divisor, remainder)
            if divisor - remainder < 1e-9:
                remainder = 0.0
        if divisor < 1e-6:
            return 0.0
    multiples = losses / divisor
    if np.abs(multiples - np.rint(multiples)).max() > 1e-9:
        return 0.0
    return divisor


def _sets_within(
    layout: CellLayout, per_row: Floats, suppression: float, reach: float
) -> RowSets | None:
    """Classes and suppressed rows with a reduced cost up to ``reach``; None if too many."""
    from lookalike.verifier.claim.cells.support_bound_kernels import sets_within  # late: numba

    count, capacity = -1, 1 << 12
    while count < 0:
        if capacity > MAX_CLASSES:
            return None
        member = np.full((capacity, 2 * layout.k - 1), -1, dtype=np.int32)
        count = sets_within(layout, per_row, reach + ROUNDING, member)
        capacity *= 8
    members, costs, suppressed = [member[:count].astype(np.int64)], [], [np.zeros(count, bool)]
    costs.append(_costs(layout, members[0]))
    singles = [(layout.full, True)] if layout.limit else []
    if layout.stars_alone:
        singles.append((layout.coarsest, False))
    for cost, is_suppressed in singles:
        reduced_cost = cost - per_row + (suppression if is_suppressed else 0.0)
        groups = np.flatnonzero(reduced_cost <= reach + ROUNDING)
        single = np.full((len(groups), 2 * layout.k - 1), -1, dtype=np.int64)
        single[:, 0] = groups
        members.append(single)
        costs.append(cost[groups])
        suppressed.append(np.full(len(groups), is_suppressed))
    return RowSets(np.concatenate(members), np.concatenate(costs), np.concatenate(suppressed))


def _costs(layout: CellLayout, member: Whole) -> Floats:
    """(sets,) what each loses with the lowest labels that its rows share."""
    inside = member >= 0
    group = np.where(inside, member, member[:, :1])
    cost = np.zeros(len(member))
    for a, leaf in enumerate(layout.leaf):
        pending = np.ones(len(member), dtype=np.bool_)
        for level in range(int(layout.levels[a])):
            label = layout.label[a, level, leaf[group]]
            shared = pending & (label == label[:, :1]).all(axis=1)
            loss = np.where(inside, layout.loss[a, level, leaf[group]], 0.0).sum(axis=1)
            cost[shared] += loss[shared]
            pending &= ~shared
        cost[pending] = math.inf
    return cost


def _bound_by_second(layout: CellLayout, sets: RowSets, second: DualPrices) -> float:
    """The bound by second prices for recodings that consist of these sets; −inf if none."""
    triples, triple_prices = second.triples, second.triple_prices
    sound = (
        second.per_row.shape == layout.rows.shape
        and triple_prices.shape == (len(triples),)
        and np.isfinite(second.per_row).all()
        and np.isfinite(triple_prices).all()
        and math.isfinite(second.suppression)
        and second.suppression >= 0
        and (triple_prices >= 0).all()
        and ((triples >= 0) & (triples < len(layout.rows))).all()
        and all(len(set(triple)) == len(triple) for triple in triples.tolist())
        and (layout.rows[triples.reshape(-1)] == 1).all()
    )
    if not sound:
        return -math.inf
    excess = max(0.0, -float(_reduced_costs(sets, second).min(initial=0.0)))
    max_sets = int(layout.rows.sum())  # in a recoding
    prices = float(second.per_row @ layout.rows) - second.suppression * layout.limit
    return prices - float(triple_prices.sum()) - excess * max_sets


def _reduced_costs(sets: RowSets, second: DualPrices) -> Floats:
    """(sets,) what each loses beyond its prices."""
    suppression = second.suppression * sets.suppressed
    reduced_cost: Floats = sets.cost - sets.priced(second.per_row) + suppression
    for triple, price in zip(second.triples, second.triple_prices.tolist(), strict=True):
        if price:
            reduced_cost[np.isin(sets.member, triple).sum(axis=1) >= 2] += price
    return reduced_cost


def cheapest_choice(layout: CellLayout, sets: RowSets, per_row: Floats) -> float:
    """The least cost of a choice of these sets that contains every row once; inf if there is none.

    HiGHS sees reduced costs, which differ from costs by the same sum for every choice.
    """
    import highspy

    if not len(sets.cost):
        return math.inf
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", 0.5 * max(COST_ROUNDING, common_step(layout)))
    program = highspy.HighsLp()
    groups, count = len(layout.rows), len(sets.cost)
    program.num_row_, program.num_col_ = groups + 1, count
    program.row_lower_ = np.append(layout.rows, 0).astype(np.float64)
    program.row_upper_ = np.append(layout.rows, layout.limit).astype(np.float64)
    program.col_cost_ = sets.cost - sets.priced(per_row)
    program.col_lower_ = np.zeros(count)
    program.col_upper_ = np.full(count, math.inf)
    program.integrality_ = [highspy.HighsVarType.kInteger] * count
    start: list[int] = [0]
    row: list[int] = []
    value: list[int] = []
    for member, suppressed in zip(sets.member.tolist(), sets.suppressed.tolist(), strict=True):
        times = Counter(group for group in member if group >= 0)
        if suppressed:
            times[groups] = 1
        row += times.keys()
        value += times.values()
        start.append(len(row))
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = np.array(start, dtype=np.int32)
    program.a_matrix_.index_ = np.array(row, dtype=np.int32)
    program.a_matrix_.value_ = np.array(value, dtype=np.float64)
    solver.passModel(program)
    solver.run()
    status = solver.getModelStatus()
    if status not in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible):
        solver.clearSolver()  # once more without presolve, which sometimes fails
        solver.setOptionValue("presolve", "off")
        solver.run()
        status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return math.inf
    if status != highspy.HighsModelStatus.kOptimal:
        return -math.inf
    return float(solver.getInfo().mip_dual_bound) + float(per_row @ layout.rows)
