"""A table's risk, to read: who is alone, how many look alike, which columns give people away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from lookalike.cli import show
from lookalike.cli.clean import clean

if TYPE_CHECKING:
    from rich.console import RenderableType

    from lookalike.risk.measure import Bar, Risk

WIDTH = 34


def risk_report(risk: Risk, name: str) -> list[RenderableType]:
    """All of it."""
    return [
        *show.section(
            f"{clean(name)}, {show.plural(risk.rows, 'row')}, by {show.listed(risk.names)}",
            headline(risk),
        ),
        *show.section("How many rows look alike", histogram(risk)),
        *show.section("Risk of being recognized", measures(risk)),
        *show.section("What makes them stand out", columns(risk)),
    ]


def headline(risk: Risk) -> Text:
    """The one sentence to remember."""
    if not risk.rows:
        return Text("The table is empty.")
    if risk.unique:
        are = "is" if risk.unique == 1 else "are"
        text = Text(f"{show.plural(risk.unique, 'row')}", style="bold red")
        return text.append(
            f" ({show.percent(risk.unique / risk.rows)}) {are} one of a kind: whoever knows these "
            "columns of a person finds that person's row, and nobody else's.",
            style="not bold default",
        )
    text = Text("No row is one of a kind.", style="bold green")
    return text.append(
        f" Every row looks like at least {show.plural(risk.smallest - 1, 'other')}.",
        style="not bold default",
    )


def sizes(bar: Bar) -> str:
    if bar.most is None:
        return f"{bar.least} or more"
    if bar.least == bar.most:
        return "alone" if bar.least == 1 else str(bar.least)
    return f"{bar.least} to {bar.most}"


def colour(bar: Bar, k: int = 5) -> str:
    """Red alone, yellow too few, green enough."""
    if bar.least == 1:
        return "red"
    return "yellow" if bar.least < k else "green"


def histogram(risk: Risk) -> RenderableType:
    table = show.ruled("alike", "rows", "", "", right=(1, 2))
    for one in risk.histogram:
        share = one.rows / risk.rows if risk.rows else 0.0
        table.add_row(
            Text(sizes(one)),
            Text(f"{one.rows:,}"),
            Text(show.percent(share), style="dim"),
            show.bar(share, WIDTH, style=colour(one)),
        )
    return table


def measures(risk: Risk) -> RenderableType:
    return show.facts(
        (Text(what), Text(number), Text(why, style="dim"))
        for what, number, why in (
            ("most exposed", show.percent(risk.highest), "one over their lookalikes"),
            ("on average", show.percent(risk.mean), "share of rows found by guessing"),
            ("smallest group", f"{risk.smallest:,}", "the k that the table already has"),
        )
    )


def columns(risk: Risk) -> RenderableType:
    """The column without which fewest are unique comes first."""
    table = show.ruled("column", "values", "one of a kind without it", "", right=(1, 2))
    for one in risk.columns:
        share = 1 - one.unique_without / risk.unique if risk.unique else 0.0
        fewer = Text(f"{show.percent(share)} fewer" if share > 0 else "no fewer", style="dim")
        without = Text(f"{one.unique_without:,}")
        table.add_row(Text(clean(one.name)), Text(f"{one.values:,}"), without, fewer)
    return table
