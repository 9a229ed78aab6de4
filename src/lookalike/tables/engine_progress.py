"""How far an engine has come with what it was asked, for whoever shows it to people.

Whoever works through rows says what it does and how much of it is done; of several steps inside one
another the innermost that knows is told. Threads may add to a step: now and then an addition may be
lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

One = TypeVar("One")
Found = TypeVar("Found")


@dataclass(slots=True, eq=False)
class Step:
    """``what`` reads as in *reading 43%*; ``of`` is how much there is to do."""

    what: str
    of: float
    done: float = 0.0
    asked: Callable[[], float] | None = None  # the share that is done; below 0: nobody knows

    def add(self, more: float) -> None:
        self.done += more

    @property
    def share(self) -> float | None:
        """From 0 to 1, or None."""
        found = self.asked() if self.asked else self.done / self.of if self.of > 0 else -1.0
        return min(1.0, found) if found >= 0 else None


_running: list[Step] = []


@contextmanager
def telling(step: Step) -> Iterator[Step]:
    """While it runs."""
    _running.append(step)
    try:
        yield step
    finally:
        _running.remove(step)


def told(what: str, things: Sequence[One], do: Callable[[One], Found]) -> list[Found]:
    """What ``do`` finds for each."""
    found = []
    with telling(Step(what, len(things))) as step:
        for thing in things:
            found.append(do(thing))
            step.add(1)
    return found


def now() -> tuple[str, float | None] | None:
    """What is being done, if anybody says, and the share of it that is done, if anybody knows."""
    inner_first = [(step.what, step.share) for step in reversed(tuple(_running))]
    knowing = [one for one in inner_first if one[1] is not None]
    return next(iter(knowing or inner_first), None)
