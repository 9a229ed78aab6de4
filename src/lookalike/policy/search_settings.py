"""The [search] section of a policy file: which algorithm to use and how long to search."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lookalike.errors import Fault

WANTS = ("feasible", "optimal")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """``by``: the name of an algorithm, or auto. ``seconds`` and ``checks``: limits; None for no
    limit. ``want``: the weakest result to accept. ``seed``: for randomized algorithms.
    """

    by: str = "auto"
    seconds: float | None = None
    want: str = "feasible"
    seed: int = 0
    checks: int | None = None

    def faults(self) -> list[Fault]:
        """What is wrong with the settings."""
        faults = []
        by: object = self.by
        if not isinstance(by, str):
            faults.append(Fault("search.by", "not a name", 'use by = "auto"'))
        if self.seconds is not None and not _is_number(self.seconds, above=0):
            faults.append(Fault("search.seconds", "not a number above 0", "use seconds = 300"))
        if self.want not in WANTS:
            faults.append(Fault("search.want", "unknown", f"use one of: {', '.join(WANTS)}"))
        if not _is_number(self.seed, above=-1, whole=True):
            faults.append(Fault("search.seed", "not a whole number of 0 or more", "use seed = 0"))
        if self.checks is not None and not _is_number(self.checks, above=0, whole=True):
            fix = "use checks = 10000"
            faults.append(Fault("search.checks", "not a whole number above 0", fix))
        return faults


def _is_number(given: object, above: float, *, whole: bool = False) -> bool:
    """Is it a finite number above this?"""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return False
    return above < given < math.inf and (isinstance(given, int) or not whole)
