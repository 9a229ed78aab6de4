"""A table's risk, to read: who is alone, how many look alike, which columns give people away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from lookalike.cli.output import class_sizes as show_alike
from lookalike.cli.output import layout as show
from lookalike.cli.terminal.safe_text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

    from lookalike.risks.column_sets.minimal_uniques import Combinations
    from lookalike.risks.screening.quasi_identifier_finder import Proposal
    from lookalike.risks.screening.safe_harbor import SafeHarbor
    from lookalike.risks.table_risk import Risk

SETS = 8  # sets of columns listed
STANDING = {
    "likely": "likely",
    "possible": "perhaps",
    "identifier": "no: names people",
    "sensitive": "no: sensitive",
    "constant": "no: all alike",
}


def risk_report(
    risk: Risk, name: str, after: tuple[str, Risk] | None = None, *, decided: bool = True
) -> list[RenderableType]:
    """All of it; beside a release of it, if there is one."""
    known = "" if decided else ", if these were what an outsider knows"
    by = f"{clean(name)}, {show.plural(risk.rows, 'row')}, by {show.listed(risk.names)}{known}"
    return [
        *show.section(by, headline(risk)),
        *(show.section("Before and after", beside(name, risk, *after)) if after else []),
        *show.section("How many rows look alike", histogram(risk)),
        *show.section("Risk of being recognized", measures(risk), notes(risk)),
        *population(risk),
        *show.section("What makes them stand out", columns(risk)),
        *(combinations(risk.combinations, risk.rows) if risk.combinations else []),
        *show.section("What tells rows apart", separation(risk)),
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


def histogram(risk: Risk) -> RenderableType:
    bars = ((one, one.rows) for one in risk.histogram)
    return show_alike.histogram(("alike", "rows"), bars, risk.rows, one="alone")


def measures(risk: Risk) -> RenderableType:
    """Three attackers, what each knows, and how likely each is to find somebody."""
    over = f"above {show.percent(risk.threshold)}"
    table = show.ruled("attacker", "highest", "average", over, "knows", right=(1, 2, 3))
    for who, found, knows in (
        ("prosecutor", risk.prosecutor, "who is in the table"),
        ("journalist", risk.journalist, "who is in the population"),
    ):
        numbers = (found.highest, found.mean, found.above)
        cells = (Text(show.percent(number)) for number in numbers)
        table.add_row(Text(who), *cells, Text(knows, style="dim"))
    marketer = Text(show.percent(risk.marketer))
    wants = Text("the same; wants anybody", style="dim")
    table.add_row(Text("marketer"), Text("–"), marketer, Text("–"), wants)
    return table


def notes(risk: Risk) -> Text:
    """What to read along with the attackers."""
    text = Text(
        f"The smallest group has {show.plural(risk.smallest, 'row')}: the k that the table "
    )
    text.append("already has.")
    if risk.population is None:
        text.append(
            " Without a population (--population) the table is taken for it: the journalist's and "
            "the marketer's risks are then the most that they can be."
        )
    text.stylize("dim")
    return text


def population(risk: Risk) -> list[RenderableType]:
    """What the population says, if one was given, or its size."""
    parts: list[RenderableType] = []
    if risk.population is not None:
        there = risk.population
        are = "is" if there.unique == 1 else "are"
        rows = show.plural(there.unique, "row")
        said = (
            f"{there.people:,.0f} people. {rows} of the table {are} one of a kind among them too."
        )
        parts.append(Text(said))
        if there.missing:
            told = (
                f"The population has fewer people like {show.plural(there.missing, 'row')} than "
                "the table has: it is another population, or cells are written in another way. "
                "Their risk is taken to be the prosecutor's."
            )
            parts.append(Text(told, style="yellow"))
    if risk.uniques is not None:
        found = risk.uniques
        drawn = f"If the {show.plural(risk.rows, 'row')} were drawn at random from "
        told = f"{found.population:,} people, about so many of them are one of a kind:"
        parts.append(Text(drawn + told))
        numbers = zip(("Zayatz", "Pitman"), (found.zayatz, found.pitman), found.shares, strict=True)
        table = show.ruled("by", "people", "", right=(1, 2))
        for who, number, share in numbers:
            table.add_row(Text(who), Text(f"{number:,.0f}"), Text(show.percent(share), style="dim"))
        parts.append(table)
    return show.section("In the population", *parts) if parts else []


def columns(risk: Risk) -> RenderableType:
    """The column without which fewest are unique comes first."""
    table = show.ruled("column", "values", "one of a kind without it", "", right=(1, 2))
    for one in risk.columns:
        share = 1 - one.unique_without / risk.unique if risk.unique else 0.0
        fewer = Text(f"{show.percent(share)} fewer" if share > 0 else "no fewer", style="dim")
        without = Text(f"{one.unique_without:,}")
        table.add_row(Text(clean(one.name)), Text(f"{one.values:,}"), without, fewer)
    return table


def combinations(found: Combinations, rows: int) -> list[RenderableType]:
    """How little an outsider has to know."""
    title = "How few columns single a row out"
    upto = show.plural(found.size, "column")
    if not found.rows:
        return show.section(title, Text(f"No row is singled out by {upto} or fewer."))
    said = f"{show.plural(found.rows, 'row')} ({show.percent(found.rows / rows)}) can be singled "
    needed = show.ruled("columns", "rows", "", right=(0, 1, 2))
    for size, count in enumerate(found.by_size, 1):
        share = Text(show.percent(count / rows), style="dim")
        needed.add_row(Text(str(size)), Text(f"{count:,}"), share)
    often = show.ruled("most often by", "rows", right=(1,))
    for one in found.sets[:SETS]:
        often.add_row(Text(show.listed(one.names)), Text(f"{one.uniques:,}"))
    parts = ", ".join(f"{clean(c.name)} {c.share:.0%}" for c in found.columns if c.share > 0)
    return show.section(
        title,
        Text(f"{said}out by {upto} or fewer."),
        show.BLANK,
        needed,
        Text("A row counts wherever it has such a set, with no column to spare.", style="dim"),
        show.BLANK,
        often,
        *_more(len(found.sets) - SETS),
        show.BLANK,
        Text("A column's part in it (SUDA score): ").append(parts),
    )


def _more(count: int) -> Iterable[RenderableType]:
    return [Text(f"and {count:,} more sets", style="dim")] if count > 0 else []


def separation(risk: Risk) -> RenderableType:
    """Single columns, then the sets of each size that separate most."""
    table = show.ruled("columns", "distinct", "pairs told apart", right=(1, 2))
    for one in risk.separation:
        names = "all of them" if len(one.names) == len(risk.names) > 1 else show.listed(one.names)
        table.add_row(
            Text(names), Text(show.percent(one.distinction)), Text(show.percent(one.separation))
        )
    return table


def beside(name: str, before: Risk, after_name: str, after: Risk) -> RenderableType:
    """The two tables, number by number."""
    table = show.ruled("", clean(name), clean(after_name), right=(1, 2))
    over = f"rows above {show.percent(before.threshold)}"
    for what, numbers in (
        ("rows", (f"{one.rows:,}" for one in (before, after))),
        ("one of a kind", (f"{one.unique:,}" for one in (before, after))),
        ("smallest group", (f"{one.smallest:,}" for one in (before, after))),
        ("prosecutor, highest", _percents(one.prosecutor.highest for one in (before, after))),
        ("prosecutor, average", _percents(one.prosecutor.mean for one in (before, after))),
        (f"prosecutor, {over}", _percents(one.prosecutor.above for one in (before, after))),
        ("marketer", _percents(one.mean for one in (before, after))),
    ):
        table.add_row(Text(what), *(Text(number) for number in numbers))
    return table


def _percents(shares: Iterable[float]) -> Iterable[str]:
    return map(show.percent, shares)


def proposal(found: Proposal, name: str, command: str) -> list[RenderableType]:
    """What an outsider could know, as far as names and values tell."""
    table = show.ruled("column", "known?", "values", "pairs told apart", "because", right=(2, 3))
    for one in found.columns:
        because = "; ".join(one.reasons)
        table.add_row(
            Text(clean(one.name), style="bold" if one.proposed else ""),
            Text(STANDING[one.standing]),
            Text(f"{one.values:,}"),
            Text(show.percent(one.separation)),
            Text(because, style="dim"),
        )
    undecided = Text("Nothing has been decided: ", style="bold yellow").append(
        "only you know what outsiders know. Name the columns yourself, as", style="not bold default"
    )
    title = f"{clean(name)}: columns that an outsider could know, proposed"
    typed = Text(f"  {clean(command)}", style="cyan")
    return show.section(title, table, show.BLANK, undecided, typed)


def safe_harbor(found: SafeHarbor) -> list[RenderableType]:
    """Columns that may hold an identifier of the rule, and what to do."""
    caution = Text(found.caution, style="dim")
    title = "HIPAA Safe Harbor, 45 CFR 164.514(b)(2)"
    if not found.findings:
        nothing = Text("Nothing was found that looks like one of the eighteen identifiers.")
        return show.section(title, nothing, caution)
    table = show.ruled("column", "rows", "may hold", "what to do", right=(1,))
    for one in found.findings:
        table.add_row(
            Text(clean(one.column)),
            Text(f"{one.rows:,}"),
            Text(f"({one.letter}) {one.identifier}: {one.why}"),
            Text(one.advice, style="dim"),
        )
    return show.section(title, table, show.BLANK, caution)
