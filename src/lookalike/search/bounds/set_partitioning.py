"""Set partitioning with HiGHS: choose sets that together contain every row once and cost least.

As a linear program, where sets may be taken in part, and as an integer program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.search.bounds.cell_layout import Floats, Whole
from lookalike.search.bounds.row_sets import RowSets

WAIT_SECONDS = 0.05  # between two checks of the limits
INTEGER = 1  # HiGHS' code for integer variables


class Program:
    """One constraint for each group, one for the suppressed rows, then those that are added.

    The dual prices of the constraints are explained in ``dual_prices.py``.
    """

    def __init__(self, rows: Whole, limit: int) -> None:
        import highspy

        self.solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self.solver.setOptionValue("output_flag", False)
        self.solver.setOptionValue("threads", 1)  # must be the same for all solvers of a process
        self.groups = len(rows)
        low = np.append(rows, 0).astype(np.float64)
        high = np.append(rows, limit).astype(np.float64)
        nothing = np.zeros(0, dtype=np.int32)
        at = np.zeros(len(low), dtype=np.int32)
        self.solver.addRows(len(low), low, high, 0, at, nothing, np.zeros(0))

    def add(self, sets: RowSets, cost: Floats, hits: Sequence[Whole] = ()) -> None:
        """More sets to choose from; ``hits`` are the sets that each added constraint concerns."""
        count = len(sets)
        if not count:
            return
        concerned = [np.flatnonzero(sets.suppressed), *hits]  # by the constraints after the groups
        further = np.repeat(np.arange(len(concerned)), list(map(len, concerned)))
        of = np.concatenate([sets.of, *concerned])
        order = np.argsort(of, kind="stable")
        row = np.append(sets.group, self.groups + further)[order]
        value = np.append(sets.size, np.ones(len(further)))[order]
        start = np.searchsorted(of[order], np.arange(count))
        self.solver.addCols(
            count, cost, np.zeros(count), np.full(count, math.inf), len(row),
            start.astype(np.int32), row.astype(np.int32), value,
        )  # fmt: skip

    def at_most_one(self, columns: Whole) -> None:
        """Add a constraint: at most one of these sets may be taken."""
        self.solver.addRow(
            -math.inf, 1.0, len(columns), columns.astype(np.int32), np.ones(len(columns))
        )

    def solve(self, check_limits: Callable[[], None] | None = None) -> tuple[float, Floats, Floats]:
        """The least cost, the dual price of every constraint, and the amount of each set.

        ``check_limits`` is called from time to time, since a solution can take minutes; what it
        raises stops the solver.
        """
        if check_limits is None:
            self.solver.run()
        elif (stopped := _run(self.solver, check_limits)) is not None:
            raise stopped
        solution = self.solver.getSolution()
        cost = float(self.solver.getInfo().objective_function_value)
        return cost, np.array(solution.row_dual), np.array(solution.col_value)


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The result of the integer program."""

    taken: Whole | None  # (sets,) how often each is taken; None if no choice was found
    proved: bool  # no choice is cheaper by more than the slack
    stopped: BaseException | None  # what stopped the solver before


def cheapest_choice(
    rows: Whole,
    limit: int,
    sets: RowSets,
    cost: Floats,
    slack: float,
    check_limits: Callable[[], None],
) -> Choice:
    """The cheapest choice of whole sets; what ``check_limits`` raises stops the solver."""
    from highspy import HighsModelStatus as Model

    if not len(sets):
        return Choice(None, True, None)
    program = Program(rows, limit)
    program.add(sets, cost)
    solver = program.solver
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", slack)
    which = np.arange(len(sets), dtype=np.int32)
    solver.changeColsIntegrality(len(which), which, np.full(len(which), INTEGER, dtype=np.uint8))
    stopped = _run(solver, check_limits)
    status = solver.getModelStatus()
    if stopped is None and status not in (Model.kOptimal, Model.kInfeasible):
        solver.clearSolver()  # its presolve sometimes fails, and reports that
        solver.setOptionValue("presolve", "off")
        stopped = _run(solver, check_limits)
        status = solver.getModelStatus()
    if status == Model.kInfeasible:
        return Choice(None, True, stopped)
    taken = np.rint(np.array(solver.getSolution().col_value)).astype(np.int64)
    if len(taken) != len(sets) or not _fits(rows, limit, sets, taken):
        return Choice(None, False, stopped)
    return Choice(taken, status == Model.kOptimal, stopped)


def _fits(rows: Whole, limit: int, sets: RowSets, taken: Whole) -> bool:
    """Does the choice contain every row once, and suppress no more rows than allowed?"""
    count = np.bincount(sets.group, weights=sets.size * taken[sets.of], minlength=len(rows))
    return bool(
        (taken >= 0).all() and np.array_equal(count, rows) and int(taken @ sets.suppressed) <= limit
    )


def _run(solver: Any, check_limits: Callable[[], None]) -> BaseException | None:
    """Run the solver; an exception raised meanwhile stops it, and is returned."""
    solver.HandleUserInterrupt = True
    solver.startSolve()
    stopped: BaseException | None = None
    while True:
        try:
            if solver.wait(WAIT_SECONDS)[0]:
                return stopped
            check_limits()
        except BaseException as raised:
            stopped = raised
            solver.cancelSolve()
