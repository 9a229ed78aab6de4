"""When to stop: a time, a number of counted nodes, memory, or a sign from outside."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lookalike.errors import Fault, PolicyError
from lookalike.problem.argument_checks import wrong
from lookalike.search.option_checks import check_number, check_whole


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a run. A stopped run returns the best so far with the bound it had earned.

    ``gigabytes`` is what the whole process may hold in memory, seen between two steps of a search.
    """

    seconds: float | None = None
    checks: int | None = None
    cancelled: Callable[[], bool] | None = None
    gigabytes: float | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None:
            check_number("Limits(seconds=...)", self.seconds)
        if self.checks is not None:
            check_whole("Limits(checks=...)", self.checks)
        if self.gigabytes is not None:
            check_number("Limits(gigabytes=...)", self.gigabytes)
        sign: object = self.cancelled
        if sign is not None and not callable(sign):
            fix = "give a function without arguments that answers yes or no"
            raise PolicyError(Fault("Limits(cancelled=...)", "it cannot be called", fix))


def gigabytes_held() -> float:
    """By this process, now; where the system does not tell, at its peak, or nothing."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e9
    except (OSError, ValueError, IndexError):
        pass
    try:
        import resource  # not on every system
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e9 if sys.platform == "darwin" else peak / 1e6


def check_limits(given: object) -> None:
    """What a verb was handed, if anything."""
    if given is not None and not isinstance(given, Limits):
        raise wrong("limits", given, "Limits", "use la.Limits(seconds=60)")
