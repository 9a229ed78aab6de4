"""The demo in four short chapters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import RenderableType
from rich.text import Text

import lookalike as la
from lookalike.cli.output import class_sizes as show_alike
from lookalike.cli.output import layout as show

SEEN = ("birth_date", "sex", "zip", "ethnicity")


@dataclass(frozen=True, slots=True)
class Person:
    """One patient, before and after; ``after`` is None if the row was suppressed."""

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


def opening(risk: la.Risk) -> list[RenderableType]:
    """Without names, people can still be recognized."""
    story = Text(
        f"It removes names and patient numbers from its table of {risk.rows:,} patients. But a "
        "neighbor knows when you were born, where you live, and more:"
    )
    unique = show.led(
        f"{risk.unique:,} of {risk.rows:,} patients are unique",
        "bold red",
        f" in {show.listed(SEEN)}. Anyone who knows these facts can look up the diagnosis.",
    )
    line = show.bar(risk.unique / risk.rows, 40, style="red", track=True)
    line.append(f"  {show.percent(risk.unique / risk.rows)} can be found", style="red")
    return chapter("1", "A hospital wants to share its data", story, show.BLANK, unique, line)


def recoding(people: Sequence[Person], release: la.Release) -> list[RenderableType]:
    """The same people, before and after."""
    rows = release.certificate.content["rows"]
    story = Text(
        "lookalike generalizes these columns, as little as possible, until every row has "
        "lookalikes. The same people before and after, and how many rows match each:"
    )
    table = show.ruled(
        "", *(name.replace("_", " ") for name in SEEN), "diagnosis", "matches", right=(6,)
    )
    for at, person in enumerate(people):
        if at:
            table.add_row()
        table.add_row(
            Text(person.name, style="bold"),
            *person.before,
            person.diagnosis,
            Text(f"{person.alike_before}", style="bold red"),
        )
        if person.after is None:
            table.add_row(Text("suppressed", style="yellow"), *[show.dim("–")] * (len(SEEN) + 2))
        else:
            table.add_row(
                show.dim("becomes"),
                *(Text(cell, style="green") for cell in person.after),
                person.diagnosis,
                Text(f"{person.alike_after}", style="bold green"),
            )
    kept = show.led(
        f"{rows['released']:,} rows are kept",
        "bold green",
        f"; {rows['suppressed']:,} ({show.percent(rows['suppressed'] / rows['original'])}) are "
        "suppressed (left out), because they would still have too few lookalikes.",
    )
    return chapter("2", "Everyone gets lookalikes", story, show.BLANK, table, show.BLANK, kept)


def comparing(before: la.Risk, after: la.Risk, k: int, width: int) -> list[RenderableType]:
    """How many rows look alike, before and after."""
    span = max(10, min(44, (width - 38) // 2))
    table = show.ruled("alike", "before", "", "after", "", right=(1, 3))
    for old, new in zip(before.histogram, after.histogram, strict=True):
        table.add_row(
            show_alike.sizes(old.least, old.most, "1 (unique)"),
            f"{old.rows:,}" if old.rows else "–",
            show.bar(old.rows / before.rows, span, style=show_alike.color(old.least, k)),
            f"{new.rows:,}" if new.rows else "–",
            show.bar(new.rows / after.rows, span, style=show_alike.color(new.least, k)),
        )
    risks = show.facts(
        (
            show.dim(what),
            Text(show.percent(old), style="red"),
            "→",
            Text(show.percent(new), style="bold green"),
        )
        for what, old, new in (
            ("highest risk of being recognized", before.highest, after.highest),
            ("average risk", before.mean, after.mean),
        )
    )
    return chapter("3", "Nobody stands out anymore", table, show.BLANK, risks)


def proving(release: la.Release) -> list[RenderableType]:
    """The promise, the claim, the checks."""
    content = release.certificate.content
    k = content["require"]["k_anonymity"]
    solution = release.solution
    promise = f"a search for a patient by {show.listed(SEEN)} finds {k} or more matching rows"
    silence = "that lookalikes have different diagnoses. If all of them share one, it is revealed."
    best = "Proved: " if solution.status == "optimal" else "Known: "
    claim = f"{solution.claim()} Found and proved in {show.seconds(solution.seconds)}."
    verified = "by code that shares nothing with the search, on the written file."

    def point(name: str, sentence: str) -> Text:
        return Text(name, style="bold").append(sentence, style="not bold")

    return chapter(
        "4",
        "See the proof",
        point("Promised: ", f"{promise}, or none."),
        point("Not promised: ", silence),
        show.BLANK,
        point(best, claim),
        show.BLANK,
        point("Independently verified: ", verified),
        show.findings(release.certificate.findings),
    )


def next_steps(commands: Sequence[tuple[str, str]]) -> list[RenderableType]:
    """Commands to copy; the first one goes to the folder of the demo."""
    table = show.facts((Text(typed, style="cyan"), show.dim(what)) for typed, what in commands)
    return [*chapter(">", "Try it yourself", table), Text()]
