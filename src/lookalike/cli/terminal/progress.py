"""The progress of a search on the terminal: one line, removed when the search ends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.live import Live
from rich.text import Text

from lookalike.events import Event, Finished, Observer, PhaseStarted, Started, silent

if TYPE_CHECKING:
    from rich.console import Console

    from lookalike.cli.terminal.interrupt import Interrupt


@contextmanager
def progress_line(to: Console, interrupt: Interrupt | None = None) -> Iterator[Observer]:
    """An observer that draws on a terminal while the block runs; elsewhere it draws nothing."""
    if not to.is_terminal:
        yield silent
        return
    line = Line(interrupt)
    with Live(line, console=to, transient=True, refresh_per_second=8):
        yield line.observe


class Line:
    """The search so far in one line: algorithm, recodings, best cost, bound, gap, seconds."""

    def __init__(self, interrupt: Interrupt | None = None) -> None:
        self.interrupt = interrupt
        self.algorithm = ""
        self.checks = 0
        self.cost: float | None = None
        self.bound: float | None = None
        self._began = time.perf_counter()

    def observe(self, event: Event) -> None:
        if isinstance(event, Started):
            self.algorithm = event.algorithm
            self.checks, self.cost, self.bound = 0, None, None
            self._began = time.perf_counter()
            return
        if isinstance(event, PhaseStarted):
            return
        self.checks = event.checks
        self.cost = event.cost
        self.bound = event.bound
        if isinstance(event, Finished):
            self.algorithm = ""

    def __rich__(self) -> Text:
        if not self.algorithm:
            return Text("")
        parts = [f"{self.algorithm}: {self.checks:,} recodings evaluated"]
        if self.cost is not None:
            parts.append(f"best {self.cost:.4g}")
        if self.bound is not None:
            parts.append(f"bound {self.bound:.4g}")
        if self.cost and self.bound is not None:
            parts.append(f"gap {max(0.0, min(1.0, (self.cost - self.bound) / self.cost)):.1%}")
        parts.append(f"{time.perf_counter() - self._began:.0f} s")
        if self.interrupt is not None and self.interrupt.pressed:
            parts.append("stopping …")
        return Text("  ".join(parts), style="dim", no_wrap=True, overflow="ellipsis")
