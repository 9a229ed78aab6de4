"""What a run says, as data. The library never prints: an observer decides what becomes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import IO, TypeAlias


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


Event: TypeAlias = Started | Incumbent | Tick | Finished
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
