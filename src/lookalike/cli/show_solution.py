"""A solution, and a verdict, to read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from lookalike.cli import show
from lookalike.cli.clean import clean
from lookalike.cli.show_claim import claim
from lookalike.solution.recoding import Levels, Recoding

if TYPE_CHECKING:
    from rich.console import RenderableType

    from lookalike.api import Verdict
    from lookalike.policy.hierarchy import Hierarchy
    from lookalike.policy.policy import Policy
    from lookalike.solution.solution import Solution


def solution_summary(solution: Solution, policy: Policy, path: Path) -> list[RenderableType]:
    """What each column would show, and the claim."""
    recoding, cost = solution.recoding, solution.cost
    assert recoding is not None
    assert cost is not None
    table = show.ruled("column", "would show")
    for a, name in enumerate(recoding.names):
        table.add_row(Text(clean(name)), Text(_shown(recoding, a, policy.hierarchies[name])))
    quality = policy.metric.sentence(cost)
    rows = (
        f"{show.plural(solution.suppressed, 'row')} of {solution.rows:,} suppressed; "
        f"{show.plural(solution.checks, 'recoding')} counted by {solution.algorithm} "
        f"in {show.seconds(solution.seconds)}"
    )
    return [
        *show.section("Columns", table),
        *show.section(
            "Quality",
            Text(f"{quality[0].upper()}{quality[1:]}."),
            claim(solution.status, solution.gap, solution.claim()),
            *([Text(solution.promise, style="dim")] if solution.promise else []),
            Text(rows, style="dim"),
        ),
        *show.section(
            "File", Text(str(path)), Text("private: belongs with the original", style="dim")
        ),
    ]


def _shown(recoding: Recoding, a: int, hierarchy: Hierarchy) -> str:
    """One level for the whole column, or how many rows are at each."""
    if isinstance(recoding, Levels):
        return hierarchy.describe(recoding.levels[a])
    kept = ~recoding.gone
    rows = np.bincount(recoding.levels[kept, a], weights=recoding.rows[kept]).astype(int)
    return "; ".join(
        f"{show.plural(count, 'row')} {hierarchy.describe(level)}"
        for level, count in enumerate(rows.tolist())
        if count
    )


NOT_CHECKED = (
    "that the rows come from the original, and say what it says",
    "what the recoding costs, and the proof that none costs less",
    "who wrote the certificate: it is not signed, so get it from the data holder",
)


def verdict_summary(verdict: Verdict, name: str, *, outside: bool) -> list[RenderableType]:
    """✓ and ✗, and the sum of it; from outside also what nobody could see there."""
    if verdict.passed:
        end = Text("Every check holds.", style="bold green")
    else:
        end = Text("Do not use this table: not every check holds.", style="bold red")
    parts: list[RenderableType] = [show.findings(verdict.findings), show.BLANK]
    if outside:
        how = "Who holds the original checks all but the last with --original --policy --solution."
        parts.append(Text("Not checked, because it cannot be seen from outside:"))
        parts.append(show.facts((Text("–"), Text(one)) for one in NOT_CHECKED))
        parts += [Text(how), show.BLANK]
    return show.section(clean(name), *parts, end)
