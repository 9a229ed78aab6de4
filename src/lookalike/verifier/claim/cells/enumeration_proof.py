"""Check that a cell-level recoding is the cheapest, by listing all classes near their dual prices.

Dual prices give a bound (``support_bound.py``). A recoding that costs less than the claim consists
of classes whose reduced costs (cost minus price) sum to less than the gap between claim and bound.
So every other class is ruled out. The remaining classes are listed. Second prices, which may use
triple inequalities (no two classes can both hold two of the same three rows), rule out more of them
in the same way, and HiGHS chooses from the rest. No code of the search is used; HiGHS is trusted,
as it is there.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.solution.proof import DualPrices
from lookalike.verifier.claim.cells.support_bound import CellGround

MOST = 1 << 21  # classes written down
CLOSE = 1e-6  # costs of a whole table that are equal to HiGHS
SMALL = 1e-7
Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Sets:
    """Sets of rows, by their groups; −1 where a set has no more."""

    member: Whole  # (sets, 2k − 1)
    cost: Floats
    gone: NDArray[np.bool_]  # (sets,) one row each, left out

    def only(self, which: NDArray[np.bool_]) -> _Sets:
        return _Sets(self.member[which], self.cost[which], self.gone[which])


def nothing_cheaper(
    ground: CellGround,
    per_row: Floats,
    suppression: float,
    bound: float,
    claimed: float,
    second: DualPrices | None,
) -> bool:
    """Is no recoding of the whole table cheaper than claimed? ``per_row`` are valid prices."""
    step = unit(ground)
    below = claimed - max(CLOSE, step - CLOSE)  # what a cheaper one costs at most
    if bound > below:
        return True
    sets = _near(ground, per_row, suppression, below - bound)
    if sets is None:
        return False
    if second is not None:
        bound = _second_bound(ground, sets, second)
        if not bound > -math.inf:
            return False
        sets = sets.only(_reduced_costs(sets, second) <= below - bound + SMALL)
    return _least(ground, sets, per_row) > below


def unit(ground: CellGround) -> float:
    """Every cost is a whole multiple of this; 0 if nothing such is seen."""
    prices = np.unique(np.round(np.append(ground.price[ground.price > 0], ground.full), 14))
    if not len(prices) or prices[-1] <= 0:
        return 0.0
    shared = float(prices[-1])
    for price in prices.tolist():
        one, other = shared, price
        while other > 1e-9:
            one, other = other, math.fmod(one, other)
            if one - other < 1e-9:
                other = 0.0
        shared = one
        if shared < 1e-6:
            return 0.0
    times = prices / shared
    if np.abs(times - np.rint(times)).max() > 1e-9:
        return 0.0
    return shared


def _near(ground: CellGround, per_row: Floats, suppression: float, reach: float) -> _Sets | None:
    """Classes, and suppressed rows, of a reduced cost up to ``reach``; None if too many."""
    from lookalike.verifier.claim.cells.support_bound_kernels import sets_near  # late: loads numba

    count, room = -1, 1 << 12
    while count < 0:
        if room > MOST:
            return None
        told = np.full((room, 2 * ground.k - 1), -1, dtype=np.int32)
        count = sets_near(
            ground.leaf, ground.rows, ground.label, ground.price, ground.many, ground.k, per_row,
            reach + SMALL, told, room,
        )  # fmt: skip
        room *= 8
    member = told[:count].astype(np.int64)
    found = _Sets(member, _costs(ground, member), np.zeros(count, dtype=np.bool_))
    for cost, gone in _alone(ground):
        reduced = cost - per_row + (suppression if gone else 0.0)
        some = np.flatnonzero(reduced <= reach + SMALL)
        single = np.full((len(some), member.shape[1]), -1, dtype=np.int64)
        single[:, 0] = some
        found = _Sets(
            np.concatenate([found.member, single]),
            np.concatenate([found.cost, cost[some]]),
            np.concatenate([found.gone, np.full(len(some), gone)]),
        )
    return found


def _alone(ground: CellGround) -> list[tuple[Floats, bool]]:
    """What single rows pay: left out (True), or starred throughout if that needs no lookalikes."""
    found = [(ground.full, True)] if ground.limit else []
    return [*found, (ground.coarsest, False)] if ground.alone else found


def _costs(ground: CellGround, member: Whole) -> Floats:
    """(sets,) what each costs with the lowest labels that its rows share."""
    inside = member >= 0
    some = np.where(inside, member, member[:, :1])
    cost = np.zeros(len(member))
    for a, leaf in enumerate(ground.leaf):
        todo = np.ones(len(member), dtype=np.bool_)
        for turn in range(int(ground.many[a])):
            shown = ground.label[a, turn, leaf[some]]
            share = todo & (shown == shown[:, :1]).all(axis=1)
            paid = np.where(inside, ground.price[a, turn, leaf[some]], 0.0).sum(axis=1)
            cost[share] += paid[share]
            todo &= ~share
        cost[todo] = math.inf
    return cost


def _second_bound(ground: CellGround, sets: _Sets, second: DualPrices) -> float:
    """The bound of the second prices for recodings that consist of these sets; −inf if none."""
    triples, triple_prices = second.triples, second.triple_prices
    sound = (
        second.per_row.shape == ground.rows.shape
        and triple_prices.shape == (len(triples),)
        and np.isfinite(second.per_row).all()
        and np.isfinite(triple_prices).all()
        and math.isfinite(second.suppression)
        and second.suppression >= 0
        and (triple_prices >= 0).all()
        and ((triples >= 0) & (triples < len(ground.rows))).all()
        and all(len(set(triple)) == len(triple) for triple in triples.tolist())
        and (ground.rows[triples.reshape(-1)] == 1).all()
    )
    if not sound:
        return -math.inf
    worst = max(0.0, -float(_reduced_costs(sets, second).min(initial=0.0)))
    max_sets = int(ground.rows.sum())  # in a recoding
    bound = float(second.per_row @ ground.rows) - second.suppression * ground.limit
    return bound - float(triple_prices.sum()) - worst * max_sets


def _reduced_costs(sets: _Sets, second: DualPrices) -> Floats:
    """(sets,) how much more each costs than its price."""
    inside = sets.member >= 0
    prices = np.where(inside, second.per_row[sets.member], 0.0).sum(axis=1)
    reduced: Floats = sets.cost - prices + second.suppression * sets.gone
    for triple, price in zip(second.triples, second.triple_prices.tolist(), strict=True):
        if price:
            reduced[np.isin(sets.member, triple).sum(axis=1) >= 2] += price
    return reduced


def _least(ground: CellGround, sets: _Sets, per_row: Floats) -> float:
    """The least cost of a choice of these sets that holds every row once; inf if there is none.

    HiGHS gets reduced costs, which differ from the costs by the same sum for every choice.
    """
    import highspy

    if not len(sets.cost):
        return math.inf
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", 0.5 * max(CLOSE, unit(ground)))
    program = highspy.HighsLp()
    groups, count = len(ground.rows), len(sets.cost)
    program.num_row_, program.num_col_ = groups + 1, count
    program.row_lower_ = np.append(ground.rows, 0).astype(np.float64)
    program.row_upper_ = np.append(ground.rows, ground.limit).astype(np.float64)
    program.col_cost_ = sets.cost - np.where(sets.member >= 0, per_row[sets.member], 0.0).sum(
        axis=1
    )
    program.col_lower_ = np.zeros(count)
    program.col_upper_ = np.full(count, math.inf)
    program.integrality_ = [highspy.HighsVarType.kInteger] * count
    start: list[int] = [0]
    row: list[int] = []
    times: list[int] = []
    for member, gone in zip(sets.member.tolist(), sets.gone.tolist(), strict=True):
        held = Counter(group for group in member if group >= 0)
        if gone:
            held[groups] = 1
        row += held.keys()
        times += held.values()
        start.append(len(row))
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = np.array(start, dtype=np.int32)
    program.a_matrix_.index_ = np.array(row, dtype=np.int32)
    program.a_matrix_.value_ = np.array(times, dtype=np.float64)
    solver.passModel(program)
    solver.run()
    status = solver.getModelStatus()
    if status not in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible):
        solver.clearSolver()  # as it came, without HiGHS's own simplifications
        solver.setOptionValue("presolve", "off")
        solver.run()
        status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return math.inf
    if status != highspy.HighsModelStatus.kOptimal:
        return -math.inf
    return float(solver.getInfo().mip_dual_bound) + float(per_row @ ground.rows)
