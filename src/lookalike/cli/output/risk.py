"""The report of risk: unique rows, rows that look alike, columns that single people out."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import RenderableType
from rich.text import Text

import lookalike as la
from lookalike import api
from lookalike.cli.output import class_sizes as show_alike
from lookalike.cli.output import layout as show
from lookalike.cli.terminal.safe_text import clean
from lookalike.words import ATTACKERS

MAX_SETS_LISTED = 8
VERDICTS = {
    "likely": "likely",
    "possible": "possibly",
    "identifier": "no: identifier",
    "sensitive": "no: sensitive",
    "constant": "no: all equal",
}


def risk_report(
    risk: la.Risk, name: str, after: tuple[str, la.Risk] | None = None, *, decided: bool = True
) -> list[RenderableType]:
    """All sections of the report; compared with a release, if there is one."""
    known = "" if decided else ", if an outsider knows these columns"
    title = f"{clean(name)} ({show.plural(risk.rows, 'row')}) by {show.listed(risk.names)}{known}"
    parts = show.section(title, headline(risk))
    if after:
        parts += show.section("Before and after", before_and_after(name, risk, *after))
    parts += show.section("How many rows look alike", histogram(risk))
    parts += show.section("Risk of being recognized", measures(risk), notes(risk))
    parts += population(risk)
    parts += show.section("Which columns make rows unique", columns(risk))
    if risk.combinations:
        parts += combinations(risk.combinations, risk.rows)
    parts += show.section("Which columns tell rows apart", separation(risk))
    return parts


def headline(risk: la.Risk) -> Text:
    """The one sentence to remember."""
    if not risk.rows:
        return Text("The table is empty.")
    if risk.unique:
        are = "is" if risk.unique == 1 else "are"
        rest = (
            f" ({show.percent(risk.unique / risk.rows)}) {are} unique: an outsider who knows these "
            "columns of a person finds exactly that person's row."
        )
        return show.led(show.plural(risk.unique, "row"), "bold red", rest)
    rest = f" Each row looks like at least {show.plural(risk.smallest - 1, 'other row')}."
    return show.led("No row is unique.", "bold green", rest)


def histogram(risk: la.Risk) -> RenderableType:
    bars = ((bar.least, bar.most, bar.rows) for bar in risk.histogram)
    return show_alike.histogram(("alike", "rows"), bars, risk.rows, one="1 (unique)")


def measures(risk: la.Risk) -> RenderableType:
    """The risk from each of three attackers."""
    over = f"above {show.percent(risk.threshold)}"
    table = show.ruled("attacker", "highest", "average", over, "", right=(1, 2, 3))

    rows = [
        (attacker, *_percents((found.highest, found.mean, found.above)))
        for attacker, found in (("prosecutor", risk.prosecutor), ("journalist", risk.journalist))
    ]
    for attacker, *numbers in (*rows, ("marketer", "–", show.percent(risk.marketer), "–")):
        table.add_row(attacker, *numbers, show.dim(ATTACKERS[attacker].gloss))
    return table


def notes(risk: la.Risk) -> Text:
    """What to know about the risks."""
    text = (
        f"The smallest equivalence class has {show.plural(risk.smallest, 'row')}: this is the k "
        "that the table already has."
    )
    if risk.population is None:
        text += (
            " Without a population (--population), the table itself is taken as the population, "
            "so the risks from journalist and marketer are upper limits."
        )
    return show.dim(text)


def population(risk: la.Risk) -> list[RenderableType]:
    """What is known or estimated about the population."""
    parts: list[RenderableType] = []
    if risk.population is not None:
        match = risk.population
        are = "is" if match.unique == 1 else "are"
        rows = show.plural(match.unique, "row")
        also = f"{rows} of the table {are} unique in the population too."
        parts.append(Text(f"{match.people:,.0f} people. {also}"))
        if match.missing:
            warning = (
                f"For {show.plural(match.missing, 'row')}, the population has fewer matching "
                "people than the table: it is another population, or cells are written "
                "differently. Their risk is taken from the prosecutor."
            )
            parts.append(Text(warning, style="yellow"))
    if risk.uniques is not None:
        uniques = risk.uniques
        sample = (
            f"If the {show.plural(risk.rows, 'row')} are a random sample of "
            f"{uniques.population:,} people, the estimated number of people who are unique is:"
        )
        estimates = {"Zayatz": uniques.zayatz, "Pitman": uniques.pitman}
        table = show.ruled("estimator", "people", "", right=(1, 2))
        for (name, number), share in zip(estimates.items(), uniques.shares, strict=True):
            table.add_row(name, f"{number:,.0f}", show.dim(show.percent(share)))
        parts += [Text(sample), table]
    return show.section("In the population", *parts) if parts else []


def columns(risk: la.Risk) -> RenderableType:
    """Each column, first the one without which the fewest rows are unique."""
    table = show.ruled("column", "values", "unique without it", "", right=(1, 2))
    for column in risk.columns:
        share = 1 - column.unique_without / risk.unique if risk.unique else 0.0
        fewer = show.dim(f"{show.percent(share)} fewer" if share > 0 else "no fewer")
        without = f"{column.unique_without:,}"
        table.add_row(clean(column.name), f"{column.values:,}", without, fewer)
    return table


def combinations(found: api.Combinations, rows: int) -> list[RenderableType]:
    """How few columns an outsider must know to find a row."""
    title = "How few columns single out a row"
    upto = show.plural(found.size, "column")
    if not found.rows:
        return show.section(title, Text(f"No row is singled out by {upto} or fewer."))
    share_found = show.percent(found.rows / rows)
    summary = f"{upto} or fewer single out {show.plural(found.rows, 'row')} ({share_found})."
    needed = show.ruled("columns", "rows", "", right=(0, 1, 2))
    for size, count in enumerate(found.by_size, 1):
        needed.add_row(str(size), f"{count:,}", show.dim(show.percent(count / rows)))
    often = show.ruled("most often", "rows", right=(1,))
    for columns in found.sets[:MAX_SETS_LISTED]:
        often.add_row(show.listed(columns.names), f"{columns.uniques:,}")
    more = len(found.sets) - MAX_SETS_LISTED
    parts = ", ".join(f"{clean(c.name)} {c.share:.0%}" for c in found.columns if c.share > 0)
    return show.section(
        title,
        Text(summary),
        show.BLANK,
        needed,
        show.dim("A row counts at each size at which its set has no superfluous column."),
        show.BLANK,
        often,
        *([show.dim(f"and {more:,} more sets")] if more > 0 else []),
        show.BLANK,
        Text("Contribution of each column (SUDA score): ").append(parts),
    )


def separation(risk: la.Risk) -> RenderableType:
    """Each column, then the sets of each size that tell most rows apart."""
    table = show.ruled("columns", "distinct", "pairs told apart", right=(1, 2))
    for columns in risk.separation:
        everything = len(columns.names) == len(risk.names) > 1
        names = "all columns" if everything else show.listed(columns.names)
        table.add_row(names, *_percents((columns.distinction, columns.separation)))
    return table


def before_and_after(name: str, before: la.Risk, after_name: str, after: la.Risk) -> RenderableType:
    over = f"rows above {show.percent(before.threshold)}"
    both = (before, after)
    measures = (
        ("rows", (f"{risk.rows:,}" for risk in both)),
        ("unique", (f"{risk.unique:,}" for risk in both)),
        ("smallest class", (f"{risk.smallest:,}" for risk in both)),
        ("prosecutor, highest", _percents(risk.prosecutor.highest for risk in both)),
        ("prosecutor, average", _percents(risk.prosecutor.mean for risk in both)),
        (f"prosecutor, {over}", _percents(risk.prosecutor.above for risk in both)),
        ("marketer", _percents(risk.mean for risk in both)),
    )
    return show.before_and_after(name, after_name, measures)


def _percents(shares: Iterable[float]) -> Iterable[str]:
    return map(show.percent, shares)


def proposal(found: api.Proposal, name: str, command: str) -> list[RenderableType]:
    """The columns that an outsider could know, judged by names and values."""
    table = show.ruled("column", "known?", "values", "pairs told apart", "because", right=(2, 3))
    for column in found.columns:
        table.add_row(
            Text(clean(column.name), style="bold" if column.proposed else ""),
            VERDICTS[column.standing],
            f"{column.values:,}",
            show.percent(column.separation),
            show.dim("; ".join(column.reasons)),
        )
    advice = "you know best what outsiders know. Name the columns yourself, for example"
    undecided = show.led("This is only a proposal: ", "bold yellow", advice)
    title = f"{clean(name)}: proposed quasi-identifiers (columns an outsider could know)"
    typed = Text(f"  {clean(command)}", style="cyan")
    return show.section(title, table, show.BLANK, undecided, typed)


def safe_harbor(found: api.SafeHarbor) -> list[RenderableType]:
    """Columns that may hold one of the eighteen identifiers, and what to do."""
    caution = show.dim(found.caution)
    title = "HIPAA Safe Harbor, 45 CFR 164.514(b)(2)"
    if not found.findings:
        nothing = Text("No column looks like one of the eighteen identifiers.")
        return show.section(title, nothing, caution)
    table = show.ruled("column", "rows", "may hold", "what to do", right=(1,))
    for finding in found.findings:
        held = f"({finding.letter}) {finding.identifier}: {finding.why}"
        table.add_row(clean(finding.column), f"{finding.rows:,}", held, show.dim(finding.advice))
    return show.section(title, table, show.BLANK, caution)
