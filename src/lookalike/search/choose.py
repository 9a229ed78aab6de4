"""``auto``: which algorithm suits a problem, and why, in a sentence."""

from __future__ import annotations

from collections.abc import Callable

from lookalike.errors import Fault, NotSuited
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.datafly import Datafly
from lookalike.search.flash import Flash
from lookalike.search.hybrid import Hybrid
from lookalike.search.incognito import Incognito
from lookalike.search.mingen import MinGen
from lookalike.search.samarati import Samarati

BY_NAME: dict[str, Callable[[], Algorithm]] = {
    "flash": Flash,
    "mingen": MinGen,
    "datafly": Datafly,
    "samarati": Samarati,
    "incognito": Incognito,
    "hybrid": Hybrid,
}


def named(by: Algorithm | str | None) -> Algorithm | None:
    """An algorithm by its name; None and ``auto`` leave the choice open."""
    if by is None or by == "auto":
        return None
    if not isinstance(by, str):
        return by
    if by not in BY_NAME:
        fix = f"use one of: auto, {', '.join(BY_NAME)}"
        raise NotSuited(Fault("by", f"there is no algorithm {by!r}", fix))
    return BY_NAME[by]()


def choose(problem: Problem) -> tuple[Algorithm, str]:
    """The algorithm that promises most here, and the reason."""
    exact = Flash()
    why_not = exact.unsuited(problem)
    if why_not is None:
        return exact, (
            f"flash, because a lattice of {problem.nodes:,} nodes over {problem.counts.groups:,} "
            "distinct tuples can be searched exactly, with a proof"
        )
    return Datafly(), f"datafly, because flash is not suited: {why_not}"
