"""Ctrl-C: the first one stops a search with the best result so far, the second ends the program.

A search is stopped by a flag that it reads between two recodings, never in the middle of one. So
its result and the claim about it are complete.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

NOTHING_FOUND = "interrupted before a result was found that meets the policy"


class Interrupted(Exception):
    """Ctrl-C was pressed, and the result so far has been saved."""


class Abandoned(BaseException):
    """Ctrl-C was pressed again. Not a KeyboardInterrupt, which a search would catch."""


class Interrupt:
    """Whether Ctrl-C has been pressed."""

    def __init__(self) -> None:
        self.pressed = False
        self.raised = False  # outside a search; an engine may turn it into another error
        self._searching = False

    @contextmanager
    def handle_signals(self) -> Iterator[None]:
        """Handle Ctrl-C while a command runs; does nothing outside the main thread."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._press)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

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
        if not self._searching:
            self.raised = True
            raise KeyboardInterrupt
        if again:
            raise Abandoned
