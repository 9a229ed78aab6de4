"""What a run reports, as data. The library never prints: an observer decides what to show."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import IO, TypeAlias


class Phase(StrEnum):
    """A phase of the pipeline; ``heading`` is what people read while it lasts."""

    COUNTING = "counting"
    SEARCHING = "searching"
    RELEASING = "releasing"
    WRITING = "writing"
    REPORTING = "reporting"

    @property
    def heading(self) -> str:
        return {
            Phase.COUNTING: "Counting equivalence classes",
            Phase.SEARCHING: "Searching",
            Phase.RELEASING: "Recoding and verifying",
            Phase.WRITING: "Writing, and verifying what was written",
            Phase.REPORTING: "Writing the report",
        }[self]


@dataclass(frozen=True, slots=True)
class PhaseStarted:
    """A phase of the pipeline begins; the one before it has ended."""

    phase: Phase


@dataclass(frozen=True, slots=True)
class Started:
    """A search begins."""

    algorithm: str
    nodes: int  # size of the space, if it can be counted
    groups: int
    why: str


@dataclass(frozen=True, slots=True)
class Incumbent:
    """A better recoding was found."""

    seconds: float
    checks: int
    cost: float
    bound: float
    suppressed: int
    levels: tuple[int, ...]  # the coarsest of each column; by cuts, how many intervals


@dataclass(frozen=True, slots=True)
class Tick:
    """Still at it."""

    seconds: float
    checks: int
    cost: float | None
    bound: float


@dataclass(frozen=True, slots=True)
class Finished:
    """The search ended."""

    seconds: float
    checks: int
    status: str
    stop: str
    cost: float | None
    bound: float


Event: TypeAlias = PhaseStarted | Started | Incumbent | Tick | Finished
Observer: TypeAlias = Callable[[Event], None]


def silent(event: Event) -> None:
    """The observer that does nothing."""


def jsonl(file: IO[str]) -> Observer:
    """Write every event as one line of JSON."""

    def write(event: Event) -> None:
        line = {"event": type(event).__name__.lower(), **asdict(event)}
        file.write(json.dumps(line) + "\n")
        file.flush()

    return write


def several(*observers: Observer) -> Observer:
    """Tell more than one observer."""

    def tell(event: Event) -> None:
        for observer in observers:
            observer(event)

    return tell
