"""How long to search and with what: the part of a policy file that is not the policy."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lookalike.errors import Fault

WANTS = ("feasible", "optimal")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """``by``: an algorithm's name, or auto. ``seconds`` and ``checks``: limits, None for none.
    ``want``: the weakest result to accept. ``seed``: for algorithms that draw lots.
    """

    by: str = "auto"
    seconds: float | None = None
    want: str = "feasible"
    seed: int = 0
    checks: int | None = None

    def faults(self) -> list[Fault]:
        found = []
        if not _text(self.by):
            found.append(Fault("search.by", "not a name", 'use by = "auto"'))
        if self.seconds is not None and not (_number(self.seconds) and 0 < self.seconds < math.inf):
            found.append(Fault("search.seconds", "not a number above 0", "use seconds = 300"))
        if self.want not in WANTS:
            found.append(Fault("search.want", "no such result", f"use one of: {', '.join(WANTS)}"))
        if not _whole(self.seed) or self.seed < 0:
            found.append(Fault("search.seed", "not a whole number from 0 up", "use seed = 0"))
        if self.checks is not None and not (_whole(self.checks) and self.checks > 0):
            found.append(Fault("search.checks", "not a whole number above 0", "use checks = 10000"))
        return found


def _number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)


def _whole(given: object) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)


def _text(given: object) -> bool:
    return isinstance(given, str)
