"""The demo's story, told in four short chapters at whatever width the terminal has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from lookalike.cli.output import class_sizes as show_alike
from lookalike.cli.output import layout as show

if TYPE_CHECKING:
    from rich.console import RenderableType

    from lookalike.releasing.release import Release
    from lookalike.risks.table_risk import Risk

SEEN = ("birth_date", "sex", "zip", "ethnicity")


@dataclass(frozen=True, slots=True)
class Person:
    """One patient, before and after; ``after`` is None for one who was left out."""

    name: str
    diagnosis: str
    before: tuple[str, ...]
    alike_before: int
    after: tuple[str, ...] | None
    alike_after: int


def chapter(mark: str, title: str, *parts: RenderableType) -> list[RenderableType]:
    head = Text(f" {mark} ", style="bold reverse cyan")
    head.append(f" {title}", style="bold not reverse default")
    return [Text(), head, Text(), *map(show.indented, parts)]


def opening(risk: Risk) -> list[RenderableType]:
    """Names are gone, and still people are known."""
    story = Text(
        f"It drops names and patient numbers from its table of {risk.rows:,} patients. But a "
        "neighbour knows when you were born, where you live, and more:"
    )
    alone = Text(f"{risk.unique:,} of {risk.rows:,} patients are one of a kind", style="bold red")
    alone.append(
        f" over {show.listed(SEEN)}. Whoever knows these of a patient can read the diagnosis.",
        style="not bold default",
    )
    line = show.bar(risk.unique / risk.rows, 40, style="red", track=True)
    line.append(f"  {show.percent(risk.unique / risk.rows)} can be found", style="red")
    return chapter("1", "A hospital wants to share its data", story, show.BLANK, alone, line)


def recoding(people: Sequence[Person], release: Release) -> list[RenderableType]:
    """The same people, before and after."""
    rows = release.certificate.content["rows"]
    story = Text(
        "lookalike makes these columns coarser, as little as possible, until every row has "
        "lookalikes. The same people, before and after, and how many rows fit each:"
    )
    table = show.ruled(
        "", *(name.replace("_", " ") for name in SEEN), "diagnosis", "fits", right=(6,)
    )
    for at, person in enumerate(people):
        if at:
            table.add_row()
        table.add_row(
            Text(person.name, style="bold"),
            *(Text(cell) for cell in person.before),
            Text(person.diagnosis),
            Text(f"{person.alike_before}", style="bold red"),
        )
        if person.after is None:
            gone = [Text("left out", style="yellow"), *[Text("–", style="dim")] * (len(SEEN) + 1)]
            table.add_row(*gone, Text("–", style="dim"))
        else:
            table.add_row(
                Text("becomes", style="dim"),
                *(Text(cell, style="green") for cell in person.after),
                Text(person.diagnosis),
                Text(f"{person.alike_after}", style="bold green"),
            )
    kept = Text(f"{rows['released']:,} rows are kept", style="bold green").append(
        f"; {rows['suppressed']:,} ({show.percent(rows['suppressed'] / rows['original'])}) are "
        "left out, because even so they would have too few lookalikes.",
        style="not bold default",
    )
    return chapter("2", "Everybody gets lookalikes", story, show.BLANK, table, show.BLANK, kept)


def comparing(before: Risk, after: Risk, k: int, width: int) -> list[RenderableType]:
    """How many rows look alike, side by side."""
    span = max(10, min(44, (width - 38) // 2))
    table = show.ruled("alike", "before", "", "after", "", right=(1, 3))
    for old, new in zip(before.histogram, after.histogram, strict=True):
        table.add_row(
            Text(show_alike.sizes(old, "alone")),
            Text(f"{old.rows:,}" if old.rows else "–"),
            show.bar(old.rows / before.rows, span, style=show_alike.colour(old, k)),
            Text(f"{new.rows:,}" if new.rows else "–"),
            show.bar(new.rows / after.rows, span, style=show_alike.colour(new, k)),
        )
    risks = show.facts(
        (_dim(what), Text(show.percent(old), style="red"), Text("→"), _green(new))
        for what, old, new in (
            ("certainty of finding the most exposed", before.highest, after.highest),
            ("certainty of finding any one, on average", before.mean, after.mean),
        )
    )
    return chapter("3", "Nobody stands out any more", table, show.BLANK, risks)


def proving(release: Release) -> list[RenderableType]:
    """The promise, the claim, the checks."""
    content = release.certificate.content
    k = content["require"]["k_anonymity"]
    promise = Text("Promised: ", style="bold").append(
        f"whoever looks for a patient by {show.listed(SEEN)} finds {k} or more rows that fit, or "
        "none.",
        style="not bold",
    )
    solution = release.solution
    best = "Proved: " if solution.status == "optimal" else "Known: "
    claim = Text(best, style="bold").append(
        f"{solution.claim()} Found and proved in {show.seconds(solution.seconds)}.",
        style="not bold",
    )
    checked = Text("Checked: ", style="bold").append(
        "by code that shares nothing with the search, on the file as written.", style="not bold"
    )
    not_promised = Text("Not promised: ", style="bold").append(
        "that lookalikes differ in their diagnosis. Where all of them share one, it is still told.",
        style="not bold",
    )
    return chapter(
        "4",
        "Do not take our word for it",
        promise,
        not_promised,
        show.BLANK,
        claim,
        show.BLANK,
        checked,
        show.findings(release.certificate.findings),
    )


def next_steps(commands: Sequence[tuple[str, str]]) -> list[RenderableType]:
    """Commands to copy, in the folder that the first one goes to."""
    table = show.facts(
        (Text(typed, style="cyan"), Text(what, style="dim")) for typed, what in commands
    )
    return [*chapter(">", "Your turn", table), Text()]


def _dim(text: str) -> Text:
    return Text(text, style="dim")


def _green(share: float) -> Text:
    return Text(f"{show.percent(share)}", style="bold green")
