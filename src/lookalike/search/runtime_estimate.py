"""How long a run may take: the search is tried for a moment, the rest goes by what others took.

Most searches of a lattice end in that moment, and then their time is known. Of the others there is
a range: at the pace seen, a fifth of the lattice at the most, as a rule. The release goes by rows.
Where nobody can know, as of searches by cell or by cuts, that is said instead.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from lookalike.events import silent
from lookalike.problem.explanation import Expected
from lookalike.problem.out_of_core import OutOfCoreProblem
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.limits import Limits
from lookalike.search.run import Run, Stopped
from lookalike.solution.recoding import Space

Clock = Callable[[], float]
Range = tuple[float, float]
PATIENCE = 0.5  # seconds for the trial; the count that is under way then is not cut short
SHARE = 0.2  # of a lattice is counted at the most, as a rule, where the prior is the base of nodes
CLIMBS = 6  # or so many times its height
HASTE, SLOWNESS = 0.5, 2.0  # the next time, with more or less of the machine
SET_OUT = 0.1  # seconds before a search is under way, at the most
ROW: Range = (3e-6, 4e-5)  # seconds to recode, verify, write and read back: codes, or DuckDB
START: Range = (0.2, 2.0)
UNITS = (("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))
STOPPABLE = (
    "It shows how far it is, can be stopped at any time with the best so far kept (Ctrl-C), and "
    "stops by itself after --seconds."
)


def expect(problem: Problem, algorithm: Algorithm, clock: Clock = time.perf_counter) -> Expected:
    """What is known of the time that the search and the release would take."""
    release = _release(problem.rows)
    after = f"To recode, verify and write {_rows(problem.rows)} takes {in_words(release)}."
    if algorithm.space is not Space.FULL_DOMAIN:
        size = f"{algorithm.name} works on {problem.groups:,} distinct tuples"
        return _unknown(f"How long the search takes cannot be known before: {size}.", after)
    if isinstance(problem, OutOfCoreProblem):
        reason = "its tuples stay on the engine, whose counts are not tried out here"
        return _unknown(f"How long the search takes cannot be known before: {reason}.", after)
    trial = _tried(problem, algorithm, clock)
    search = _search(problem, algorithm, trial)
    return Expected(
        search[0] + release[0], search[1] + release[1], f"{_said(problem, trial, search)} {after}"
    )


def in_words(seconds: Range) -> str:
    """``about 2 to 10 seconds``"""
    low, high = seconds
    if high < 1:
        return "less than a second"
    unit, size = next((one for one in UNITS if high >= 2 * one[1]), UNITS[-1])
    least, most = _rounded(low / size), _rounded(high / size)
    if most == "1":
        unit = unit.removesuffix("s")
    if least == most:
        return f"about {most} {unit}"
    return f"up to about {most} {unit}" if least == "0" else f"about {least} to {most} {unit}"


def _unknown(reason: str, after: str) -> Expected:
    return Expected(None, None, f"{reason} {STOPPABLE} {after}")


def _release(rows: int) -> Range:
    return START[0] + ROW[0] * rows, START[1] + ROW[1] * rows


@dataclass(frozen=True, slots=True)
class Trial:
    """What the search did in the moment that it had."""

    seconds: float
    checks: int
    ended: bool


def _tried(problem: Problem, algorithm: Algorithm, clock: Clock) -> Trial:
    limits = Limits(cancelled=lambda: clock() - began > PATIENCE)
    run = Run(problem, limits, silent, 0)
    began = clock()
    run.check(problem.high)  # loads what is compiled, which is not to be timed
    run = Run(problem, limits, silent, 0)
    began = clock()
    try:
        algorithm.search(run)
    except Stopped:
        return Trial(clock() - began, run.checks, ended=False)
    return Trial(clock() - began, run.checks, ended=True)


def _search(problem: Problem, algorithm: Algorithm, trial: Trial) -> Range:
    """Seconds: those of the trial, or at its pace those of as many nodes as may be counted."""
    if trial.ended:
        return trial.seconds * HASTE, trial.seconds * SLOWNESS + SET_OUT
    pace = trial.seconds / max(1, trial.checks)
    return trial.seconds, max(trial.seconds, pace * _most(problem, algorithm) * SLOWNESS)


def _most(problem: Problem, algorithm: Algorithm) -> int:
    """How many nodes are counted at the most, as a rule."""
    height = sum(high - low for low, high in zip(problem.low, problem.high, strict=True))
    if algorithm.name == "datafly":  # one way up, and no other
        return height + 1
    if not (problem.costing.prior_is_base and problem.rules.grow):
        return problem.nodes
    return min(problem.nodes, max(CLIMBS * height, round(SHARE * problem.nodes)))


def _said(problem: Problem, trial: Trial, search: Range) -> str:
    if trial.ended:
        return f"The search takes {in_words(search)}: it was tried."
    return (
        f"The search takes {in_words(search)}, as far as can be told: in a trial of "
        f"{trial.seconds:.1f} seconds it counted {trial.checks:,} of {problem.nodes:,} nodes, and "
        f"it seldom needs all of them. {STOPPABLE}"
    )


def _rows(rows: int) -> str:
    return "1 row" if rows == 1 else f"{rows:,} rows"


def _rounded(number: float) -> str:
    """No more digits than are known: of 100 and more, the last is nought."""
    return f"{round(number, -1) if number >= 100 else number:,.0f}"
