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
ONLY_IF_UNKNOWN = (
    "Leave a column out of the quasi-identifiers only if no outsider can know it. It is then "
    "released unchanged. Otherwise remove it from the release, or give it a coarser hierarchy."
)


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
        *_column_prices(found, policy),
    ]


def _column_prices(found: api.Explanation, policy: la.Policy) -> list[RenderableType]:
    """Which columns cost most, and what it would help to leave one out."""
    if found.prices is None or not found.prices.prices:
        return []
    table = show.ruled("left out", "part of the cost now", "cost of the others without it",
                       right=(1, 2))  # fmt: skip
    for price in found.prices.prices:
        table.add_row(clean(price.column), f"{price.share:.0%}", f"{price.cost_without:.4g}")
    now = policy.metric.sentence(found.prices.cost)
    return show.section(
        "What columns cost",
        Text(f"A short search found {now}. It would fall most without one of these columns:"),
        table,
        Text(ONLY_IF_UNKNOWN),
        show.dim("Both costs are estimates; a full search can find lower ones."),
    )


def _size(values: int, most: int) -> Text:
    """A bar on a logarithmic scale, so that columns with few values are visible too."""
    return show.bar(math.log1p(values) / math.log1p(max(1, most)), NARROW)
