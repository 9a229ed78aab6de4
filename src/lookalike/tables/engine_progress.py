"""The progress of an engine's work, to show to users.

Code that works through rows reports its step and the share that is done. If steps are nested, the
innermost one with a known share is shown. Several threads may add to a step; sometimes an addition
is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Step:
    """``what`` is as in *reading 43%*; ``total`` is how much there is to do."""

    what: str
    total: float
    done: float = 0.0
    ask_share: Callable[[], float] | None = None  # the share that is done; below 0: not known

    def add(self, more: float) -> None:
        self.done += more

    @property
    def share(self) -> float | None:
        """From 0 to 1, or None."""
        if self.ask_share:
            share = self.ask_share()
        else:
            share = self.done / self.total if self.total > 0 else -1.0
        return min(1.0, share) if share >= 0 else None


_running: list[Step] = []


@contextmanager
def report_progress(step: Step) -> Iterator[Step]:
    """Report the step while the block runs."""
    _running.append(step)
    try:
        yield step
    finally:
        _running.remove(step)


def current_progress() -> tuple[str, float | None] | None:
    """What is being done, if known, and the share of it that is done, if known."""
    inner_first = [(step.what, step.share) for step in reversed(tuple(_running))]
    with_share = [step for step in inner_first if step[1] is not None]
    return next(iter(with_share or inner_first), None)
