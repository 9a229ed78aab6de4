"""What the algorithm that a solution names guarantees by its theorem, worked out here from k alone.

Nobody can see from a table which algorithm made it, so that much is not checked, and the sentence
says so. But where the bound that was checked is near enough, it shows the factor by itself, for
this table and whoever made it.
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
    """The factor, in what sense it holds, and a sentence; None where there is none to tell."""
    if solution.algorithm != "meyerson-williams" or not _as_it_would(solution, policy, tables):
        return None
    factor = times_the_fewest(policy.smallest)
    shown = (
        policy.metric.name == "precision"  # which is the weighted share of stars, if values show
        and all(policy.level_bounds(table.name, table.height)[0] == 0 for table in tables)
        and solution.cost is not None
        and solution.cost <= factor * solution.bound
    )
    return guaranteed(policy.smallest, shown=shown)


def guaranteed(k: int, *, shown: bool) -> dict[str, Any]:
    """As the certificate writes it; ``shown`` if it follows from cost and bound by themselves."""
    factor = times_the_fewest(k)
    what = (
        f"at most {factor:.3g} times the fewest cells that any release by cell suppression alone "
        "must suppress, counted with the columns' weights"
    )
    if shown:
        sentence = f"It suppresses {what}: that follows from the cost and the bound above."
    else:
        sentence = (
            "The guarantee of Meyerson and Williams' algorithm, if it was run as named; not "
            f"re-checked: {what}."
        )
    return {"factor": float(f"{factor:.10g}"), "follows_from_bound": shown, "sentence": sentence}


def times_the_fewest(k: int) -> float:
    """(2k − 1)(k − 1)/k · H(k); why it holds is in docs/explanation/meyerson-williams.md."""
    harmonic = 0.0
    for i in range(1, k + 1):
        harmonic += 1 / i
    return (2 * k - 1) * (k - 1) * harmonic / k


def _as_it_would(solution: Solution, policy: Policy, tables: Sequence[LevelTable]) -> bool:
    """Does it look like a finished run: no row left out, and every cell at its finest or at *?"""
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
    shown = (recoding.levels == bounds[:, 0]) | (recoding.levels == heights)
    return bool(shown.all()) and bool((bounds[:, 1] == heights).all())
