"""When to stop: a time, a number of counted nodes, or a sign from outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a run. A stopped run returns the best so far with the bound it had earned."""

    seconds: float | None = None
    checks: int | None = None
    cancelled: Callable[[], bool] | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds >= 0:
            raise ValueError(f"seconds is {self.seconds}; use 0 or more, or None for no limit")
        if self.checks is not None and self.checks < 0:
            raise ValueError(f"checks is {self.checks}; use 0 or more, or None for no limit")
