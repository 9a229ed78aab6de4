"""``lookalike attack``: the people of another table looked up in a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.input.table_address import Location, open_location, parse_location
from lookalike.cli.options import ADDRESSES
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import Fault

if TYPE_CHECKING:
    from lookalike.attacking.linking_attack import LinkingAttack

MAX_PEOPLE_LISTED = 20

Release = Annotated[
    Location,
    typer.Argument(
        metavar="RELEASE",
        parser=parse_location,
        help=f"The release, or any table: a .csv, .tsv, .txt or .parquet file, {ADDRESSES}.",
    ),
]
With = Annotated[
    Location,
    typer.Option(
        "--with",
        metavar="TABLE",
        parser=parse_location,
        help="What the attacker has: people, one a row, as a voter list.",
    ),
]
On = Annotated[
    list[str],
    typer.Option(
        "--on",
        metavar="COLUMNS",
        help="What both tables tell of a person: age,zip,sex; zip=plz where the attacker calls it "
        "plz. May be repeated.",
    ),
]
PolicyFile = Annotated[
    Path | None,
    typer.Option(
        "--policy", metavar="FILE", help="The policy: its hierarchies tell what labels cover."
    ),
]
Sensitive = Annotated[
    list[str] | None,
    typer.Option(
        "--sensitive",
        metavar="COLUMNS",
        help="What the attacker wants to learn; if not said, every other column of the release.",
    ),
]
Before = Annotated[
    Location | None,
    typer.Option(
        "--before",
        metavar="TABLE",
        parser=parse_location,
        help="The table before it was anonymized, attacked in the same way, to set beside it.",
    ),
]
Also = Annotated[
    Location | None,
    typer.Option(
        "--also",
        metavar="RELEASE",
        parser=parse_location,
        help="Another release about the same people, held beside this one.",
    ),
]
Name = Annotated[
    str | None,
    typer.Option(
        "--name",
        metavar="COLUMN",
        help="The attacker's column to list people by; needs --show-values.",
    ),
]
FailAbove = Annotated[
    float | None,
    typer.Option(
        "--fail-above",
        metavar="P",
        min=0,
        max=1,
        help="End with 4 if a row is found, or a value told, with a chance above this.",
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
    from lookalike import api
    from lookalike.cli.input.column_list import split_columns
    from lookalike.cli.output.attack import attack_report
    from lookalike.errors import ReleaseRefused
    from lookalike.policy.policy_file import load

    if name is not None and not terminal.show_values:
        raise typer.BadParameter("--name lists people, which needs --show-values")
    opened, people = open_location(release), open_location(outsiders)
    pairs = _pairs(on, opened.columns)
    with terminal.step("Looking people up"):
        result = api.attack(
            opened,
            people,
            pairs,
            policy=load(policy).policy if policy else None,
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
    from lookalike.cli.input.column_list import split_assignment, split_columns
    from lookalike.errors import PolicyError

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


def _facts(attack: LinkingAttack, *, show_values: bool) -> dict[str, Any]:
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


def _chances_above(attack: LinkingAttack, limit: float) -> list[Fault]:
    """A fault for each chance above the limit."""
    from lookalike.cli.output.layout import percent

    chances = {"a person's row is found": attack.after.best}
    for learned in attack.after.learned:
        chances[f"a person's {learned.column} is told"] = learned.certainty
    if attack.together is not None:
        chances[f"with {attack.together.table} beside it, a person is found or a value told"] = (
            attack.together.certainty
        )
    fix = "recode more (a larger k), ask for diverse values (l-diversity), or drop a column"
    return [
        Fault("--fail-above", f"{event} with a chance of {percent(chance)}", fix)
        for event, chance in chances.items()
        if chance > limit
    ]
