"""A solution, and a verdict, to read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from lookalike.cli import show
from lookalike.cli.clean import clean

if TYPE_CHECKING:
    from rich.console import RenderableType

    from lookalike.api import Verdict
    from lookalike.policy.policy import Policy
    from lookalike.solution.solution import Solution


def solution_summary(solution: Solution, policy: Policy, path: Path) -> list[RenderableType]:
    """What each column would show, and the claim."""
    recoding, cost = solution.recoding, solution.cost
    assert recoding is not None
    assert cost is not None
    table = show.ruled("column", "would show")
    for name, level in zip(recoding.names, recoding.levels, strict=True):
        table.add_row(Text(clean(name)), Text(policy.quasi_identifiers[name].describe(level)))
    quality = policy.metric.sentence(cost)
    rows = (
        f"{show.plural(solution.suppressed, 'row')} of {solution.rows:,} suppressed; "
        f"{show.plural(solution.checks, 'recoding')} counted by {solution.algorithm} "
        f"in {show.seconds(solution.seconds)}"
    )
    return [
        *show.section("Columns", table),
        *show.section(
            "Quality", Text(f"{quality[0].upper()}{quality[1:]}."), Text(solution.claim()),
            Text(rows, style="dim"),
        ),
        *show.section(
            "File", Text(str(path)), Text("private: belongs with the original", style="dim")
        ),
    ]  # fmt: skip


def verdict_summary(verdict: Verdict, name: str) -> list[RenderableType]:
    """✓ and ✗, and the sum of it."""
    if verdict.passed:
        end = Text("Every check holds.", style="bold green")
    else:
        end = Text("Do not use this table: not every check holds.", style="bold red")
    return [*show.section(clean(name), show.findings(verdict.findings), show.BLANK, end)]
