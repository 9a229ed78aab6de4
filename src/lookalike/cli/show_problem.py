"""A problem before it is searched, and algorithms side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.text import Text

from lookalike.cli import show
from lookalike.cli.clean import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from lookalike.policy.policy import Policy
    from lookalike.problem.explain import Explanation
    from lookalike.search.compare import Comparison, Row


def explanation(found: Explanation, policy: Policy) -> list[RenderableType]:
    """What is asked, how each column could get coarser, and how large the search is."""
    asked = [Text(f"{rule.sentence()}.") for rule in policy.require]
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


def comparison(found: Comparison) -> list[RenderableType]:
    """One row an algorithm; those that refused say why, below."""
    table = show.ruled(
        "algorithm", "result", f"{found.metric}", "gap", "suppressed", "counted", "time",
        right=(2, 3, 4, 5, 6),
    )  # fmt: skip
    costs = [row.solution.cost for row in found.rows if row.solution is not None]
    best = min((cost for cost in costs if cost is not None), default=None)
    refusals = []
    for row in found.rows:
        solution = row.solution
        if solution is None:
            refusals.append((Text(row.algorithm), Text(f"not run: {row.refusal}.")))
            continue
        cost = "–" if solution.cost is None else f"{solution.cost:.6g}"
        style = "bold green" if solution.cost is not None and solution.cost == best else ""
        stop = "" if solution.stop == "finished" else f" ({solution.stop})"
        table.add_row(
            Text(row.algorithm, style=style),
            Text(f"{solution.status}{stop}"),
            Text(cost, style=style),
            Text("–" if row.gap is None else "0" if row.gap == 0 else f"{row.gap:.1%}"),
            Text(f"{solution.suppressed:,}"),
            Text(f"{solution.checks:,}"),
            Text(show.seconds(solution.seconds)),
        )
    parts: list[RenderableType] = [table]
    if refusals:
        parts += [show.BLANK, show.facts(refusals)]
    if math.isfinite(found.bound):
        text = f"The gap is to {found.bound:.6g}, which no recoding that meets the policy can beat."
        parts += [show.BLANK, Text(text, style="dim")]
    elif found.bound > 0:
        parts += [
            show.BLANK,
            Text("No recoding meets the policy, and that is proved.", style="bold red"),
        ]
    measured = [row for row in found.rows if row.measures]
    return [
        *show.section("Algorithms on the same problem", *parts),
        *(show.section("The same, by other measures", _measures(measured)) if measured else []),
    ]


def _measures(rows: Sequence[Row]) -> RenderableType:
    """Prec is kept, so much is good; the others are costs, so little is."""
    table = show.ruled(
        "algorithm", "Prec", "loss", "DM", "classes", "rows a class", "levels",
        right=(1, 2, 3, 4, 5),
    )  # fmt: skip
    for row in rows:
        solution, by = row.solution, row.measures
        assert solution is not None
        table.add_row(
            Text(row.algorithm),
            Text(f"{1 - by['precision']:.4f}"),
            Text(f"{by['loss']:.4f}"),
            Text(f"{by['discernibility']:,.0f}"),
            Text(f"{solution.classes:,}"),
            Text(f"{by['class-size']:,.1f}"),
            Text(str(solution.recoding)),
        )
    return table


def _dim(text: str) -> Text:
    return Text(text, style="dim")
