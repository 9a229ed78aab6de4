"""An estimate of how long a run takes: the search is tried for half a second and extrapolated.

Most searches of a lattice end in that time, and then their time is known. For the others there is
a range: usually, at the pace of the trial, a fifth of the lattice at most. The time for the release
grows with the rows. Searches by cells or by cuts have no estimate, and the sentence says so. Branch
and bound has none either: it says which gap the trial has left.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from lookalike.events import silent
from lookalike.problem.explanation import Expected
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.limits import Limits
from lookalike.search.run import Run, Stopped
from lookalike.solution.proof import By
from lookalike.solution.recoding import Space
from lookalike.solution.solution import gap_between

Clock = Callable[[], float]
Range = tuple[float, float]  # seconds
TRIAL_SECONDS = 0.5  # a count that has begun by then is finished
NODE_SHARE = 0.2  # of a lattice is usually counted at most, if the prior is the base of nodes
CLIMBS = 6  # or this many times its height
FASTER, SLOWER = 0.5, 2.0  # factors for the next run, with more or less of the machine
START_SEARCH_SECONDS = 0.1
ROW_SECONDS: Range = (3e-6, 4e-5)  # to recode, verify, write and read back: packed codes, or DuckDB
START_RELEASE_SECONDS: Range = (0.2, 2.0)
UNITS = (("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))
STOPPABLE = (
    "It shows its progress, can be stopped at any time with the best result so far kept (Ctrl-C), "
    "and stops by itself after --seconds."
)


def expect(problem: Problem, algorithm: Algorithm, clock: Clock = time.perf_counter) -> Expected:
    """The time that the search and the release would take, as far as it is known."""
    release = _release(problem.rows)
    rows = "1 row" if problem.rows == 1 else f"{problem.rows:,} rows"
    after = f"Recoding, verifying and writing {rows} takes {in_words(release)}."
    if algorithm.space is not Space.FULL_DOMAIN:
        reason = f"{algorithm.name} works on {problem.groups:,} distinct tuples"
    elif not problem.holds_all_tuples:
        reason = "its tuples stay on the engine, which counts only during the search"
    else:
        trial = _tried(problem, algorithm, clock)
        if trial.ended or algorithm.bounds_every_node:
            low, high = _search(problem, algorithm, trial)
            sentence = f"{_search_sentence(problem, trial, (low, high))} {after}"
            return Expected(low + release[0], high + release[1], sentence)
        if algorithm.exact:
            return Expected(None, None, f"{_gap_sentence(algorithm, trial)} {STOPPABLE} {after}")
        reason = (
            f"a trial of {trial.seconds:.1f} seconds did not end, and {algorithm.name} counts only "
            f"a few of the {problem.nodes:,} nodes"
        )
    unknown = "The time of the search cannot be known in advance"
    return Expected(None, None, f"{unknown}: {reason}. {STOPPABLE} {after}")


def in_words(seconds: Range) -> str:
    """``about 2 to 10 seconds``"""
    low, high = seconds
    if high < 1:
        return "less than a second"
    unit, size = next((entry for entry in UNITS if high >= 2 * entry[1]), UNITS[-1])
    least, most = _rounded(low / size), _rounded(high / size)
    if most == "1":
        unit = unit.removesuffix("s")
    if least == most:
        return f"about {most} {unit}"
    return f"up to about {most} {unit}" if least == "0" else f"about {least} to {most} {unit}"


def _release(rows: int) -> Range:
    return (
        START_RELEASE_SECONDS[0] + ROW_SECONDS[0] * rows,
        START_RELEASE_SECONDS[1] + ROW_SECONDS[1] * rows,
    )


@dataclass(frozen=True, slots=True)
class Trial:
    """What the search did in the time of the trial."""

    seconds: float
    checks: int
    ended: bool
    found: bool = False  # a recoding that meets the policy
    gap: float | None = None  # if it also has proved a lower bound


def _tried(problem: Problem, algorithm: Algorithm, clock: Clock) -> Trial:
    limits = Limits(cancelled=lambda: clock() - began > TRIAL_SECONDS)
    every_node = algorithm.bounds_every_node
    run = Run(problem, limits, silent, 0, bounds_every_node=every_node)
    began = clock()
    run.check(problem.high)  # loads compiled code, which is not part of the search
    algorithm.compile_kernels(problem)
    run = Run(problem, limits, silent, 0, bounds_every_node=every_node)
    began = clock()
    try:
        algorithm.search(run)
    except Stopped:
        best, gap = run.best, None
        if best is not None and run.proved_by is not By.NODES:
            gap = gap_between(best.cost, run.bound())
        return Trial(clock() - began, run.checks, False, best is not None, gap)
    return Trial(clock() - began, run.checks, ended=True)


def _search(problem: Problem, algorithm: Algorithm, trial: Trial) -> Range:
    """The time of the trial, or at its pace the time for all nodes that may be counted."""
    if trial.ended:
        return trial.seconds * FASTER, trial.seconds * SLOWER + START_SEARCH_SECONDS
    pace = trial.seconds / max(1, trial.checks)
    return trial.seconds, max(trial.seconds, pace * _max_nodes(problem, algorithm) * SLOWER)


def _max_nodes(problem: Problem, algorithm: Algorithm) -> int:
    """How many nodes are usually counted at most."""
    if (known := algorithm.max_nodes(problem)) is not None:
        return known
    if not (problem.costing.prior_is_base and problem.rules.grow):
        return problem.nodes
    height = sum(high - low for low, high in zip(problem.low, problem.high, strict=True))
    return min(problem.nodes, max(CLIMBS * height, round(NODE_SHARE * problem.nodes)))


def _search_sentence(problem: Problem, trial: Trial, search: Range) -> str:
    if trial.ended:
        return f"The search takes {in_words(search)}; a trial run finished."
    return (
        f"The search takes {in_words(search)}, as far as a trial shows: in "
        f"{trial.seconds:.1f} seconds it counted {trial.checks:,} of {problem.nodes:,} nodes, and "
        f"it seldom needs all of them. {STOPPABLE}"
    )


def _gap_sentence(algorithm: Algorithm, trial: Trial) -> str:
    """For a search that improves a recoding and a lower bound until both meet."""
    if trial.gap is not None:
        has = f"found a recoding and a lower bound, with a gap of {trial.gap:.0%}"
    elif trial.found:
        has = "found a recoding, but no lower bound yet"
    else:
        has = "found nothing yet"
    return (
        f"A trial of {trial.seconds:.1f} seconds {has}. {algorithm.name} makes the gap smaller as "
        "long as it runs. When it ends, with the optimum proved, cannot be known in advance."
    )


def _rounded(number: float) -> str:
    """Whole numbers; from 100 on, tens."""
    return f"{round(number, -1) if number >= 100 else number:,.0f}"
