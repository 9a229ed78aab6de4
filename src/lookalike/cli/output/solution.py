"""The summary of a solution, and of a verification."""

from __future__ import annotations

from pathlib import Path

from rich.console import RenderableType
from rich.text import Text

import lookalike as la
from lookalike import api
from lookalike.cli.output import layout as show
from lookalike.cli.output.cell_changes import cell_changes
from lookalike.cli.output.claim import quality
from lookalike.cli.terminal.safe_text import clean


def solution_summary(
    solution: la.Solution, problem: api.Problem, path: Path
) -> list[RenderableType]:
    """What each column would show, the quality, and the file."""
    recoding = solution.recoding
    assert recoding is not None
    table = show.ruled("column", "would show")
    for name, shown in zip(problem.names, problem.apply(recoding).descriptions(), strict=True):
        table.add_row(clean(name), clean(shown))
    rows = (
        f"{show.plural(solution.suppressed, 'row')} of {solution.rows:,} suppressed; "
        f"{show.plural(solution.checks, 'recoding')} evaluated by {solution.algorithm} "
        f"in {show.seconds(solution.seconds)}"
    )
    return [
        *show.section("Columns", table),
        *cell_changes(problem, solution),
        *quality(solution, problem, solution.promise, rows),
        *show.section("File", Text(str(path)), show.dim("private: keep it with the original")),
    ]


MORE_CHECKS = "To check all of these except the last, add --original, --policy and --solution."


def verdict_summary(
    verdict: la.Verdict, name: str, bad: str = "Do not use this table: some checks failed."
) -> list[RenderableType]:
    """✓ or ✗ for each check, what could not be checked, and the verdict."""
    parts: list[RenderableType] = [show.findings(verdict.findings), show.BLANK]
    if verdict.not_checked:
        parts.append(Text("Not checked, because this needs the original:"))
        parts.append(show.facts(("–", clean(one)) for one in verdict.not_checked))
        parts += [Text(MORE_CHECKS), show.BLANK]
    end = ("All checks passed.", "bold green") if verdict.passed else (bad, "bold red")
    return show.section(clean(name), *parts, Text(*end))
