"""SIGTERM, SIGHUP and Ctrl-C in a worker: they end a job as Ctrl-C ends a command.

During a search, a signal only sets a flag that the search reads, so that its best result can be
saved. At any other time it raises ``Terminated``, which no search and no job catches.
"""

from __future__ import annotations

import signal
from types import FrameType


class Terminated(BaseException):
    """The process was asked to end."""


class Termination:
    """Whether this process was asked to end."""

    def __init__(self) -> None:
        self.asked = False
        self.searching = False

    def handle_signals(self) -> None:
        """From now on, in the main thread."""
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self._ask)

    def check(self) -> None:
        """Between two steps: raise ``Terminated`` if the process was asked to end."""
        if self.asked:
            raise Terminated

    def _ask(self, number: int, frame: FrameType | None) -> None:
        again, self.asked = self.asked, True
        if again or not self.searching:
            raise Terminated


TERMINATION = Termination()
