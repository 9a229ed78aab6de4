"""A problem before it is searched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from lookalike.cli import show
from lookalike.cli.clean import clean

if TYPE_CHECKING:
    from rich.console import RenderableType

    from lookalike.policy.policy import Policy
    from lookalike.problem.explain import Explanation


def explanation(found: Explanation, policy: Policy, total: int) -> list[RenderableType]:
    """What is asked, how each column could get coarser, and how large the search is."""
    asked = [Text(f"{rule.sentence()}.") for rule in policy.require]
    if policy.eligible:
        asked.append(Text(f"{found.rows:,} of {total:,} rows of the table are eligible."))
    asked.append(
        Text(
            f"Up to {found.allowance:,} of {found.rows:,} rows may be suppressed; {found.metric} "
            "is kept small.",
            style="dim",
        )
    )
    ladder = show.ruled("column", "values", "from fine to coarse", right=(1,))
    for column in found.columns:
        low, high = column.allowed
        steps = Text()
        for level, shown in enumerate(column.levels):
            steps.append(" → " if level else "", style="dim")
            steps.append(shown, style="" if low <= level <= high else "dim strike")
        ladder.add_row(Text(clean(column.name)), Text(f"{column.values:,}"), steps)
    roles = (
        (_dim("dropped"), Text(show.listed(policy.identifiers) or "none")),
        *((_dim("keyed"), Text(show.listed([name]))) for name in policy.pseudonyms),
        (_dim("kept"), Text(show.listed(policy.kept) or "none")),
    )
    size = Text(
        f"{show.plural(found.nodes, 'recoding')} to choose from, over "
        f"{show.plural(found.groups, 'distinct tuple')} of quasi-identifiers."
    )
    return [
        *show.section("Asked", *asked),
        *show.section("Columns", ladder, show.BLANK, show.facts(roles)),
        *show.section("Search", size, Text(f"auto would take {found.why}.")),
    ]


def _dim(text: str) -> Text:
    return Text(text, style="dim")
