"""Compiled code that a limit or Ctrl-C can interrupt: it runs in a thread and watches a flag.

While compiled code runs, Python looks at nothing else, not even at Ctrl-C. So a kernel that may
take longer than a second takes ``halt`` last, and returns soon once ``halt[0]`` is set.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

import numpy as np

POLL_SECONDS = 0.05  # between two checks of the limits

Answer = TypeVar("Answer")


def unlimited() -> None:
    """The check of limits where there are none."""


def interruptible(
    check_limits: Callable[[], None], kernel: Callable[..., Answer], *given: Any
) -> Answer:
    """What the kernel returns; if ``check_limits`` raises, the kernel is halted first."""
    check_limits()
    halt = np.zeros(1, dtype=np.int64)
    with ThreadPoolExecutor(1) as pool:  # it waits for the kernel at the end
        answer = pool.submit(kernel, *given, halt)
        try:
            while wait([answer], POLL_SECONDS).not_done:
                check_limits()
        finally:
            halt[0] = 1
    return answer.result()
