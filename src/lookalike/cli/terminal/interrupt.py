"""Ctrl-C: the first one asks a search to stop with the best it has, the second ends the program.

A search is stopped by a flag that it reads between two counts, never in the middle of one: what it
has learnt by then is whole, and so is the claim made from it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(Exception):
    """Ctrl-C, and what could be kept has been kept."""


class Abandoned(BaseException):
    """Ctrl-C a second time. Not a KeyboardInterrupt, with which a search would end politely."""


class Interrupt:
    """Whether Ctrl-C has been pressed."""

    def __init__(self) -> None:
        self.pressed = False
        self.raised = False  # outside a search, where an engine may make another error of it
        self._searching = False

    @contextmanager
    def handle_signals(self) -> Iterator[None]:
        """Take Ctrl-C while a command runs; in a thread other than the main one, do nothing."""
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
        """Within this block a first Ctrl-C only turns the answer of the yielded question to yes."""
        before, self._searching = self._searching, True
        try:
            yield lambda: self.pressed
        finally:
            self._searching = before

    @contextmanager
    def at_prompt(self) -> Iterator[None]:
        """Somebody is being asked: Ctrl-C ends the question at once, search or not."""
        before, self._searching = self._searching, False
        try:
            yield
        finally:
            self._searching = before

    def check(self) -> None:
        """Between two steps: some engine may have swallowed the exception of a Ctrl-C."""
        if self.pressed:
            raise KeyboardInterrupt

    def _press(self, number: int, frame: FrameType | None) -> None:
        again, self.pressed = self.pressed, True
        if not self._searching:
            self.raised = True
            raise KeyboardInterrupt
        if again:
            raise Abandoned
