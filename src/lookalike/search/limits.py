"""``Limits``: when a search stops, by time, checks, memory or a call from outside."""

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
    """When a search stops. A stopped search returns the best so far with the bound it has proved.

    Parameters
    ----------
    seconds : float, optional
        Time for the search.
    checks : int, optional
        Recodings to count.
    cancelled : callable, optional
        Called without arguments between two steps; the search stops when it returns true.
    gigabytes : float, optional
        Memory that the whole process may hold, checked between two steps.

    Raises
    ------
    PolicyError
        If a limit is not a number of 0 or more, or ``cancelled`` is not callable.

    Examples
    --------
    >>> import lookalike as la
    >>> la.Limits(seconds=60).seconds
    60
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
        cancelled: object = self.cancelled
        if cancelled is not None and not callable(cancelled):
            fix = "give a function without arguments that returns True or False"
            raise PolicyError(Fault("Limits(cancelled=...)", "it is not callable", fix))


def gigabytes_held() -> float:
    """Memory of this process now; on systems that do not report it, its peak, or 0."""
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
    """Raise unless it is a ``Limits`` or None."""
    if given is not None and not isinstance(given, Limits):
        raise wrong("limits", given, "Limits", "use la.Limits(seconds=60)")
