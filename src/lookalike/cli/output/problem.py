"""A problem before it is searched."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.text import Text

from lookalike.cli.output import layout as show
from lookalike.cli.terminal.safe_text import clean
from lookalike.problem.explanation import AS_ASKED

if TYPE_CHECKING:
    from rich.console import RenderableType

    from lookalike.policy.policy import Policy
    from lookalike.problem.explanation import Explanation


NARROW, WIDE = 8, 40  # characters of a bar


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
    most = max((column.values for column in found.columns), default=1)
    ladder = show.ruled("column", "values", "", "from fine to coarse", right=(1,))
    for column in found.columns:
        low, high = column.allowed
        bar, steps = _size(column.values, most), Text()
        for level, shown in enumerate(column.levels):
            steps.append(" → " if level else "", style="dim")
            steps.append(shown, style="" if low <= level <= high else "dim strike")
        ladder.add_row(Text(clean(column.name)), Text(f"{column.values:,}"), bar, steps)
    roles = (
        (_dim("dropped"), Text(show.listed(policy.identifiers) or "none")),
        *((_dim("keyed"), Text(show.listed([name]))) for name in policy.pseudonyms),
        (_dim("kept"), Text(show.listed(policy.kept) or "none")),
    )
    size = Text(f"{show.plural(found.nodes, 'recoding')} to choose from.")
    share = found.groups / found.rows if found.rows else 0.0
    alike = show.bar(share, WIDE, track=True)
    alike.append(f"  {show.plural(found.groups, 'distinct tuple')} in {found.rows:,} rows")
    taken = f"auto would take {found.why}."
    if found.why == AS_ASKED:
        taken = f"{found.algorithm} would search, as the policy asks."
    return [
        *show.section("Asked", *asked),
        *show.section("Columns", ladder, show.BLANK, show.facts(roles)),
        *show.section("Search", alike, size, Text(taken)),
        *show.section("Time", Text(found.expected.sentence)),
    ]


def _size(values: int, most: int) -> Text:
    """By orders of magnitude: a column of 2 beside one of 20,000 is to be seen, too."""
    return show.bar(math.log1p(values) / math.log1p(max(1, most)), NARROW)


def _dim(text: str) -> Text:
    return Text(text, style="dim")
