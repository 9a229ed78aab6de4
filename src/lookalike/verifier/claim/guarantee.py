"""The guarantee that an algorithm's theorem gives, computed from k alone.

A table does not show which algorithm made it. So the guarantee is not checked, and its sentence
says so. But if the cost is close enough to the bound that was checked, the factor follows from
these two, whichever algorithm was used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy
from lookalike.solution.recoding import CellMap
from lookalike.solution.solution import Solution, Status, Stop


def guarantee(
    solution: Solution, policy: Policy, tables: Sequence[LevelTable]
) -> dict[str, Any] | None:
    """The factor, in what sense it holds, and a sentence; None if there is no guarantee."""
    if solution.algorithm != "meyerson-williams" or not _is_finished(solution, policy, tables):
        return None
    factor = approximation_factor(policy.smallest)
    proved = (
        policy.metric.name == "precision"  # the weighted share of stars, if cells may be unchanged
        and all(policy.level_bounds(table.name, table.height)[0] == 0 for table in tables)
        and solution.cost is not None
        and solution.cost <= factor * solution.bound
    )
    return guarantee_content(policy.smallest, proved=proved)


def guarantee_content(k: int, *, proved: bool) -> dict[str, Any]:
    """As the certificate writes it; ``proved`` if it follows from cost and bound."""
    factor = approximation_factor(k)
    promise = (
        f"at most {factor:.3g} times the fewest cells that any release by cell suppression alone "
        "must suppress, counted with the columns' weights"
    )
    if proved:
        sentence = f"It suppresses {promise}: this follows from the cost and the bound above."
    else:
        sentence = (
            "Guaranteed by Meyerson and Williams' algorithm, if it was run as named, which is not "
            f"checked: it suppresses {promise}."
        )
    return {"factor": float(f"{factor:.10g}"), "follows_from_bound": proved, "sentence": sentence}


def approximation_factor(k: int) -> float:
    """(2k − 1)(k − 1)/k · H(k), as docs/explanation/meyerson-williams.md proves."""
    harmonic = sum(1 / i for i in range(1, k + 1))
    return (2 * k - 1) * (k - 1) * harmonic / k


def _is_finished(solution: Solution, policy: Policy, tables: Sequence[LevelTable]) -> bool:
    """Could this be a finished run: no row suppressed, and every cell at its finest level or *?"""
    recoding = solution.recoding
    if (
        not isinstance(recoding, CellMap)
        or recoding.names != policy.names
        or solution.stop is not Stop.FINISHED
        or solution.status is Status.UNMET
        or recoding.gone.any()
    ):
        return False
    heights = np.array([table.height for table in tables])
    bounds = np.array([policy.level_bounds(table.name, table.height) for table in tables])
    finest_or_star = (recoding.levels == bounds[:, 0]) | (recoding.levels == heights)
    return bool(finest_or_star.all()) and bool((bounds[:, 1] == heights).all())
