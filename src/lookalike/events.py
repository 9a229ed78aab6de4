"""What a run reports, as data. The library never prints: an observer decides what to show."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import IO, TypeAlias


class Phase(StrEnum):
    """A phase of the pipeline.

    Examples
    --------
    >>> import lookalike as la
    >>> la.Phase.COUNTING.heading
    'Counting equivalence classes'
    """

    COUNTING = "counting"
    SCREENING = "screening"
    SEARCHING = "searching"
    RELEASING = "releasing"
    WRITING = "writing"
    REPORTING = "reporting"

    @property
    def heading(self) -> str:
        """What people read while the phase lasts."""
        return {
            Phase.COUNTING: "Counting equivalence classes",
            Phase.SCREENING: "Checking what the kept columns reveal",
            Phase.SEARCHING: "Searching",
            Phase.RELEASING: "Recoding and verifying",
            Phase.WRITING: "Writing, and verifying what was written",
            Phase.REPORTING: "Writing the report",
        }[self]


@dataclass(frozen=True, slots=True)
class PhaseStarted:
    """A phase of the pipeline begins; the one before it has ended.

    Attributes
    ----------
    phase : Phase
        The phase that begins.

    Examples
    --------
    >>> import lookalike as la
    >>> la.PhaseStarted(la.Phase.SEARCHING).phase
    <Phase.SEARCHING: 'searching'>
    """

    phase: Phase


@dataclass(frozen=True, slots=True)
class Compiling:
    """Compiled code is loaded for a search; the first time on a machine, it is compiled.

    It comes before ``Started``, the first time in a process that this search is used for such a
    policy. The clock of the limits starts after it.

    Attributes
    ----------
    algorithm : str
        The name of the algorithm.

    Examples
    --------
    >>> import lookalike as la
    >>> la.Compiling("flash").heading
    'Loading compiled code for flash (the first time, it is compiled)'
    """

    algorithm: str

    @property
    def heading(self) -> str:
        """What people read while it lasts."""
        return f"Loading compiled code for {self.algorithm} (the first time, it is compiled)"


@dataclass(frozen=True, slots=True)
class Started:
    """A search begins.

    Attributes
    ----------
    algorithm : str
        The name of the algorithm.
    nodes : int
        The size of the search space, if it can be counted.
    groups : int
        Distinct tuples of quasi-identifiers in the table.
    why : str
        Why this algorithm was chosen.

    Examples
    --------
    >>> import lookalike as la
    >>> la.Started("flash", nodes=24, groups=100, why="exact").algorithm
    'flash'
    """

    algorithm: str
    nodes: int
    groups: int
    why: str


@dataclass(frozen=True, slots=True)
class Incumbent:
    """The search found a better recoding.

    Attributes
    ----------
    seconds : float
        Time since the search began.
    checks : int
        Recodings that were evaluated so far.
    cost, bound : float
        The cost of the recoding, and the lower bound that is proved so far.
    suppressed : int
        Rows that the recoding suppresses.
    levels : tuple of int
        The coarsest level of each column; for cuts, the number of its intervals.

    Examples
    --------
    >>> import lookalike as la
    >>> la.Incumbent(0.1, checks=7, cost=0.3, bound=0.2, suppressed=0, levels=(1, 2)).cost
    0.3
    """

    seconds: float
    checks: int
    cost: float
    bound: float
    suppressed: int
    levels: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tick:
    """The search is still running.

    Attributes
    ----------
    seconds : float
        Time since the search began.
    checks : int
        Recodings that were evaluated so far.
    cost : float or None
        The cost of the best recoding so far, if there is one.
    bound : float
        The lower bound that is proved so far.

    Examples
    --------
    >>> import lookalike as la
    >>> la.Tick(1.0, checks=50, cost=None, bound=0.1).checks
    50
    """

    seconds: float
    checks: int
    cost: float | None
    bound: float


@dataclass(frozen=True, slots=True)
class Finished:
    """The search ended.

    Attributes
    ----------
    seconds : float
        How long it took.
    checks : int
        Recodings that were evaluated.
    status, stop : str
        The result (a ``Status``) and why the search ended (a ``Stop``), by name.
    cost : float or None
        The cost of the result, if there is one.
    bound : float
        The lower bound that is proved.

    Examples
    --------
    >>> import lookalike as la
    >>> la.Finished(1.5, checks=60, status="optimal", stop="finished", cost=0.3, bound=0.3).status
    'optimal'
    """

    seconds: float
    checks: int
    status: str
    stop: str
    cost: float | None
    bound: float


Event: TypeAlias = PhaseStarted | Compiling | Started | Incumbent | Tick | Finished
Observer: TypeAlias = Callable[[Event], None]


def silent(event: Event) -> None:
    """The observer that does nothing."""


def jsonl(file: IO[str]) -> Observer:
    """An observer that writes each event as one line of JSON.

    Parameters
    ----------
    file : text file
        Where the lines are written; it is flushed after each line.

    Returns
    -------
    Observer

    Examples
    --------
    >>> import io, lookalike as la
    >>> file = io.StringIO()
    >>> la.jsonl(file)(la.Tick(1.0, checks=50, cost=None, bound=0.1))
    >>> file.getvalue()
    '{"event": "tick", "seconds": 1.0, "checks": 50, "cost": null, "bound": 0.1}\\n'
    """

    def write(event: Event) -> None:
        name = "phase" if isinstance(event, PhaseStarted) else type(event).__name__.lower()
        line = {"event": name, **asdict(event)}
        file.write(json.dumps(line) + "\n")
        file.flush()

    return write


def broadcast(*observers: Observer) -> Observer:
    """An observer that passes each event to all the given observers.

    Parameters
    ----------
    *observers : Observer
        Functions that take an event.

    Returns
    -------
    Observer

    Examples
    --------
    >>> import lookalike as la
    >>> log = []
    >>> both = la.broadcast(log.append, log.append)
    >>> both(la.Tick(1.0, checks=50, cost=None, bound=0.1))
    >>> len(log)
    2
    """

    def observe(event: Event) -> None:
        for observer in observers:
            observer(event)

    return observe
