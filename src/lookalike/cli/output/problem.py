"""The report of ``explain``: policy, columns, size of the search, expected time."""

from __future__ import annotations

import math

from rich.console import RenderableType
from rich.text import Text

import lookalike as la
from lookalike import api
from lookalike.cli.output import layout as show
from lookalike.cli.terminal.safe_text import clean
from lookalike.words import METRICS

NARROW, WIDE = 8, 40  # characters of a bar


def explanation_report(
    found: api.Explanation, policy: la.Policy, total: int
) -> list[RenderableType]:
    """The requirements, the levels of each column, and how large the search is."""
    required = [Text(clean(f"{rule.sentence()}.")) for rule in policy.require]
    if policy.eligible:
        required.append(Text(f"{found.rows:,} of {total:,} rows of the table are eligible."))
    allowed = f"Up to {found.allowance:,} of {found.rows:,} rows may be suppressed (left out)."
    metric = METRICS[found.metric].label if found.metric in METRICS else found.metric
    required.append(show.dim(f"{allowed} The metric to minimize is {metric}."))
    most = max((column.values for column in found.columns), default=1)
    ladder = show.ruled("column", "values", "", "levels, from precise to general", right=(1,))
    for column in found.columns:
        low, high = column.allowed
        bar, steps = _size(column.values, most), Text()
        for level, shown in enumerate(column.levels):
            steps.append(" → " if level else "", style="dim")
            steps.append(shown, style="" if low <= level <= high else "dim strike")
        ladder.add_row(clean(column.name), f"{column.values:,}", bar, steps)
    roles = (
        (show.dim("removed"), show.listed(policy.identifiers) or "none"),
        *((show.dim("pseudonym"), show.listed([name])) for name in policy.pseudonyms),
        (show.dim("kept unchanged"), show.listed(policy.kept) or "none"),
    )
    size = Text(f"{show.plural(found.nodes, 'recoding')} in the lattice.")
    share = found.groups / found.rows if found.rows else 0.0
    distinct = show.bar(share, WIDE, track=True)
    distinct.append(f"  {show.plural(found.groups, 'distinct tuple')} in {found.rows:,} rows")
    choice = f"auto would choose {found.why}."
    if found.why == api.AS_ASKED:
        choice = f"{found.algorithm} would search, as the policy says."
    return [
        *show.section("Policy", *required),
        *show.section("Columns", ladder, show.BLANK, show.facts(roles)),
        *show.section("Search", distinct, size, Text(choice)),
        *show.section("Time", Text(found.expected.sentence)),
    ]


def _size(values: int, most: int) -> Text:
    """A bar on a logarithmic scale, so that columns with few values are visible too."""
    return show.bar(math.log1p(values) / math.log1p(max(1, most)), NARROW)
