"""``lookalike attack``: look up the people of another table in a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

import lookalike as la
from lookalike import api
from lookalike.cli.input.column_list import split_assignment, split_columns
from lookalike.cli.input.table_address import Location, open_location, parse_location
from lookalike.cli.options import ADDRESSES, argument, location, option
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import Fault, PolicyError, ReleaseRefused

MAX_PEOPLE_LISTED = 20

Release = Annotated[
    Location,
    argument(
        "RELEASE",
        f"The release, or any table: a .csv, .tsv, .txt or .parquet file, {ADDRESSES}.",
        parser=parse_location,
    ),
]
With = Annotated[
    Location,
    location(
        "--with TABLE",
        "What the attacker knows: a table with one person per row, for example a voter list.",
    ),
]
On = Annotated[
    list[str],
    option(
        "--on COLUMNS",
        "Columns that both tables have: age,zip,sex; or zip=plz if the attacker's column is "
        "called plz. May be repeated.",
    ),
]
PolicyFile = Annotated[
    Path | None, option("--policy FILE", "The policy: its hierarchies say what a label covers.")
]
Sensitive = Annotated[
    list[str] | None,
    option(
        "--sensitive COLUMNS",
        "What the attacker wants to learn. Default: all other columns of the release.",
    ),
]
Before = Annotated[
    Location | None,
    location(
        "--before TABLE", "The original table; it is attacked in the same way, for comparison."
    ),
]
Also = Annotated[
    Location | None,
    location(
        "--also RELEASE", "Another release about the same people; both are attacked together."
    ),
]
Name = Annotated[
    str | None,
    option(
        "--name COLUMN", "The attacker's column that names people in the list; needs --show-values."
    ),
]
FailAbove = Annotated[
    float | None,
    option(
        "--fail-above P",
        "End with exit code 4 if a row or a value is found with a higher chance than P.",
        min=0,
        max=1,
    ),
]


def attack(
    terminal: Terminal,
    release: Release,
    outsiders: With,
    on: On,
    policy: PolicyFile = None,
    sensitive: Sensitive = None,
    before: Before = None,
    also: Also = None,
    name: Name = None,
    fail_above: FailAbove = None,
) -> None:
    """Look up people of another table in a release. Changes nothing."""
    from lookalike.cli.output.attack import attack_report

    if name is not None and not terminal.show_values:
        raise typer.BadParameter("--name lists people, which needs --show-values")
    opened, people = open_location(release), open_location(outsiders)
    pairs = _pairs(on, opened.columns)
    with terminal.step("Looking up people"):
        result = api.attack(
            opened,
            people,
            pairs,
            policy=api.load_policy(policy) if policy else None,
            sensitive=None if sensitive is None else split_columns(sensitive, opened.columns),
            before=open_location(before) if before else None,
            also=open_location(also) if also else None,
            name=name,
            show=MAX_PEOPLE_LISTED if terminal.show_values else 0,
        )
    terminal.document |= _facts(result, show_values=terminal.show_values)
    terminal.answer(*attack_report(result, policy=policy is not None))
    if fail_above is not None and result.certainty > fail_above:
        raise ReleaseRefused(_chances_above(result, fail_above))


def _pairs(on: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """``age,zip=plz``: the release's column to the attacker's."""
    pairs: dict[str, str] = {}
    faults = []
    for text in split_columns(on, columns):
        halves = None if text in columns else split_assignment(text, columns)
        ours, theirs = halves or (text, text)
        if ours in pairs:
            faults.append(Fault(f"--on {ours}", "the column is named twice", "name it once"))
        pairs[ours] = theirs
    if faults:
        raise PolicyError(faults)
    return pairs


def _facts(attack: la.LinkingAttack, *, show_values: bool) -> dict[str, Any]:
    """The attack for the JSON document; people only if values may be shown."""
    document = asdict(attack)
    document["on"] = dict(attack.on)
    document["certainty"] = attack.certainty
    for facts, order in zip(document["order"], attack.order, strict=True):
        facts["gives_away"] = order.gives_away
    people = document.pop("singled_out")
    if show_values:
        document["singled_out"] = [
            person | {"known": dict(person["known"]), "learned": dict(person["learned"])}
            for person in people
        ]
    return document


def _chances_above(attack: la.LinkingAttack, limit: float) -> list[Fault]:
    """A fault for each chance above the limit."""
    from lookalike.cli.output.layout import percent

    chances = {"a person's row is found": attack.after.best}
    for learned in attack.after.learned:
        chances[f"a person's {learned.column} is revealed"] = learned.certainty
    if attack.together is not None:
        chances[f"with {attack.together.table}, a person is found or a value revealed"] = (
            attack.together.certainty
        )
    fix = "require more (a larger k, or l-diversity), or remove a column"
    return [
        Fault("--fail-above", f"{event} with a chance of {percent(chance)}", fix)
        for event, chance in chances.items()
        if chance > limit
    ]
