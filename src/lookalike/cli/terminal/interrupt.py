"""Ctrl-C: the first one stops a search with the best result so far, the second ends the program.

SIGTERM (``kill``, ``timeout``, a machine that shuts down) and SIGHUP (the terminal was closed) do
the same. The exit code says which signal it was.

A search is stopped by a flag that it reads between two recodings, never in the middle of one. So
its result and the claim about it are complete.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]

NOTHING_FOUND = "interrupted before a result was found that meets the policy"


class Interrupted(Exception):
    """Ctrl-C was pressed, and the result so far has been saved."""


class Abandoned(BaseException):
    """Ctrl-C was pressed again. Not a KeyboardInterrupt, which a search would catch."""


class Interrupt:
    """Whether Ctrl-C has been pressed, or one of the other signals came."""

    def __init__(self) -> None:
        self.pressed = False
        self.number = int(signal.SIGINT)  # of the first signal
        self._terminals: list[int] = []  # descriptors of standard output and standard error
        self.raised = False  # outside a search; an engine may turn it into another error
        self._searching = False

    @contextmanager
    def handle_signals(self) -> Iterator[None]:
        """Handle the signals while a command runs; does nothing outside the main thread.

        After ``nohup`` the program continues when its terminal is closed.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        self._terminals = [number for number in (1, 2) if os.isatty(number)]
        before = {}
        try:
            for number in SIGNALS:
                if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
                    before[number] = signal.signal(number, self._press)
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def stop_search(self) -> Iterator[Callable[[], bool]]:
        """In this block, the first Ctrl-C only makes the yielded function return True."""
        with self.at_prompt(asking=False):
            yield lambda: self.pressed

    @contextmanager
    def at_prompt(self, *, asking: bool = True) -> Iterator[None]:
        """The user is being asked: Ctrl-C ends the prompt at once, even during a search."""
        before, self._searching = self._searching, not asking
        try:
            yield
        finally:
            self._searching = before

    def check(self) -> None:
        """Between two steps: an engine may have caught the exception of Ctrl-C."""
        if self.pressed:
            raise KeyboardInterrupt

    def _press(self, number: int, frame: FrameType | None) -> None:
        again, self.pressed = self.pressed, True
        if not again:
            self.number = number
        if number == getattr(signal, "SIGHUP", None):
            self._forget_terminals()
        if not self._searching:
            self.raised = True
            raise KeyboardInterrupt
        if again:
            raise Abandoned

    def _forget_terminals(self) -> None:
        """The terminal was closed, so writing to it would fail."""
        null = os.open(os.devnull, os.O_WRONLY)
        for descriptor in self._terminals:
            os.dup2(null, descriptor)
        os.close(null)
