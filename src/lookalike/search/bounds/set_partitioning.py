"""Which sets, together, hold every row once and cost least? Linear and whole, by HiGHS."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.search.bounds.row_sets import RowSets

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
WAIT = 0.05  # seconds between two looks at the limits
WHOLE = 1  # HiGHS' name for variables that are whole numbers


class Program:
    """One constraint a group, one for the rows left out, then those that are added.

    The dual prices of the constraints bound the cost: see ``dual_prices.py``.
    """

    def __init__(self, rows: Whole, limit: int) -> None:
        self.solver = _solver()
        self.groups = len(rows)
        low = np.append(rows, 0).astype(np.float64)
        high = np.append(rows, limit).astype(np.float64)
        nothing = np.zeros(0, dtype=np.int32)
        at = np.zeros(len(low), dtype=np.int32)
        self.solver.addRows(len(low), low, high, 0, at, nothing, np.zeros(0))

    def add(self, sets: RowSets, cost: Floats, hits: list[Whole] | None = None) -> None:
        """More sets to choose from; ``hits`` are, of each, the constraints that were added."""
        if not len(sets):
            return
        parts_row, parts_value, start, length = [], [], [], 0
        for s in range(len(sets)):
            entries = slice(int(sets.start[s]), int(sets.start[s + 1]))
            row, value = sets.group[entries], sets.size[entries].astype(np.float64)
            if sets.suppressed[s]:
                row, value = np.append(row, self.groups), np.append(value, 1.0)
            if hits is not None and len(hits[s]):
                row = np.append(row, self.groups + 1 + hits[s])
                value = np.append(value, np.ones(len(hits[s])))
            start.append(length)
            length += len(row)
            parts_row.append(row)
            parts_value.append(value)
        many = len(sets)
        self.solver.addCols(
            many, cost, np.zeros(many), np.full(many, math.inf), length,
            np.array(start, dtype=np.int32), np.concatenate(parts_row).astype(np.int32),
            np.concatenate(parts_value),
        )  # fmt: skip

    def at_most_one(self, columns: Whole) -> None:
        """Of these sets, at most one."""
        self.solver.addRow(
            -math.inf, 1.0, len(columns), columns.astype(np.int32), np.ones(len(columns))
        )

    def solve(self, mind: Callable[[], None] | None = None) -> tuple[float, Floats, Floats]:
        """The least cost, the price of every constraint, and how much of each set.

        ``mind`` is called now and then, to raise: one solution can take minutes.
        """
        if mind is None:
            self.solver.run()
        elif (stopped := _minded(self.solver, mind)) is not None:
            raise stopped
        found = self.solver.getSolution()
        cost = float(self.solver.getInfo().objective_function_value)
        return cost, np.array(found.row_dual), np.array(found.col_value)


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What came of choosing sets whole."""

    taken: Whole | None  # how often each set is taken; None if no choice was found
    ended: bool  # nothing is cheaper, by more than the slack
    stopped: BaseException | None  # what ended it before


def choose_whole(
    rows: Whole, limit: int, sets: RowSets, cost: Floats, slack: float, mind: Callable[[], None]
) -> Choice:
    """Sets, taken whole times, that cost least. ``mind`` is called now and then, to raise."""
    from highspy import HighsModelStatus as States

    if not len(sets):
        return Choice(None, True, None)
    program = Program(rows, limit)
    program.add(sets, cost)
    solver = program.solver
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", slack)
    which = np.arange(len(sets), dtype=np.int32)
    solver.changeColsIntegrality(len(which), which, np.full(len(which), WHOLE, dtype=np.uint8))
    stopped = _minded(solver, mind)
    status = solver.getModelStatus()
    if stopped is None and status not in (States.kOptimal, States.kInfeasible):
        solver.clearSolver()  # now and then its presolve goes wrong, and it says so
        solver.setOptionValue("presolve", "off")
        stopped = _minded(solver, mind)
        status = solver.getModelStatus()
    if status == States.kInfeasible:
        return Choice(None, True, stopped)
    taken = np.rint(np.array(solver.getSolution().col_value)).astype(np.int64)
    if len(taken) != len(sets) or not _fits(rows, limit, sets, taken):
        return Choice(None, False, stopped)
    return Choice(taken, status == States.kOptimal, stopped)


def _fits(rows: Whole, limit: int, sets: RowSets, taken: Whole) -> bool:
    """Does the choice hold every row once, and leave out no more than it may?"""
    held = np.bincount(sets.group, weights=sets.size * taken[sets.of], minlength=len(rows))
    return bool(
        (taken >= 0).all() and np.array_equal(held, rows) and int(taken @ sets.suppressed) <= limit
    )


def _minded(solver: Any, mind: Callable[[], None]) -> BaseException | None:
    """Run the solver; whatever is raised meanwhile stops it, and is returned."""
    solver.HandleUserInterrupt = True
    solver.startSolve()
    stopped: BaseException | None = None
    while True:
        try:
            if solver.wait(WAIT)[0]:
                return stopped
            mind()
        except BaseException as raised:
            stopped = raised
            solver.cancelSolve()


def _solver() -> Any:
    import highspy

    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)  # all of one process must be alike in this
    return solver
