"""When to stop: a time, a number of counted nodes, or a sign from outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lookalike.errors import Fault, PolicyError
from lookalike.problem.given import wrong
from lookalike.search.options import check_number, check_whole


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a run. A stopped run returns the best so far with the bound it had earned."""

    seconds: float | None = None
    checks: int | None = None
    cancelled: Callable[[], bool] | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None:
            check_number("Limits(seconds=...)", self.seconds)
        if self.checks is not None:
            check_whole("Limits(checks=...)", self.checks)
        sign: object = self.cancelled
        if sign is not None and not callable(sign):
            fix = "give a function without arguments that answers yes or no"
            raise PolicyError(Fault("Limits(cancelled=...)", "it cannot be called", fix))


def check_limits(given: object) -> None:
    """What a verb was handed, if anything."""
    if given is not None and not isinstance(given, Limits):
        raise wrong("limits", given, "Limits", "use la.Limits(seconds=60)")
