"""The progress of a search on the terminal: one line, removed when the search ends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

from lookalike.cli.terminal.interrupt import Interrupt
from lookalike.events import Compiling, Event, Finished, Incumbent, Observer, Started, Tick, silent


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
        self.compiling = ""  # what is loaded before a search
        self.last: Incumbent | Tick | None = None
        self._began = time.perf_counter()

    def observe(self, event: Event) -> None:
        if isinstance(event, Compiling):
            self.compiling = event.heading
        elif isinstance(event, Started):
            self.algorithm, self.compiling, self.last = event.algorithm, "", None
            self._began = time.perf_counter()
        elif isinstance(event, Finished):
            self.algorithm = ""
        elif isinstance(event, Incumbent | Tick):
            self.last = event

    def __rich__(self) -> Text:
        if self.compiling:
            return _line([f"{self.compiling} …"])
        if not self.algorithm:
            return Text("")
        last = self.last
        parts = [f"{self.algorithm}: {last.checks if last else 0:,} recodings evaluated"]
        if last is not None:
            if last.cost is not None:
                parts.append(f"best {last.cost:.4g}")
            parts.append(f"bound {last.bound:.4g}")
            if last.cost:
                parts.append(f"gap {max(0.0, min(1.0, (last.cost - last.bound) / last.cost)):.1%}")
        parts.append(f"{time.perf_counter() - self._began:.0f} s")
        if self.interrupt is not None and self.interrupt.pressed:
            parts.append("stopping …")
        return _line(parts)


def _line(parts: list[str]) -> Text:
    return Text("  ".join(parts), style="dim", no_wrap=True, overflow="ellipsis")
