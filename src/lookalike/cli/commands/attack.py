"""``lookalike attack``: look up people in a release, or attack the release alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

import lookalike as la
from lookalike import api
from lookalike.cli.input.column_list import split_assignment, split_columns
from lookalike.cli.input.table_address import (
    Location,
    as_argument,
    open_location,
    parse_location,
)
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
    Location | None,
    location(
        "--with TABLE",
        "What the attacker knows: a table with one person per row, for example a voter list.",
    ),
]
On = Annotated[
    list[str] | None,
    option(
        "--on COLUMNS",
        "Columns that both tables have: age,zip,sex; or zip=plz if the attacker's column is "
        "called plz. May be repeated.",
    ),
]
All = Annotated[
    bool,
    option(
        "--all",
        "Run every attack that uses the release itself; needs --policy. With --with, everybody in "
        "the table is on that list.",
    ),
]
By = Annotated[
    list[str] | None,
    option("--by ATTACKS", "Run these attacks, for example skewness,minimality; needs --policy."),
]
CertificateFile = Annotated[
    Path | None,
    option(
        "--certificate FILE",
        "With --all or --by: which algorithm made the release. Default: beside the release.",
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
    outsiders: With = None,
    on: On = None,
    every: All = False,
    by: By = None,
    policy: PolicyFile = None,
    certificate: CertificateFile = None,
    sensitive: Sensitive = None,
    before: Before = None,
    also: Also = None,
    name: Name = None,
    fail_above: FailAbove = None,
) -> None:
    """Attack a release as an outsider could. Changes nothing."""
    from lookalike.cli.output.attack import attack_report

    if every or by:
        unused = {"--also": also, "--name": name}
        if given := [flag for flag, value in unused.items() if value is not None]:
            raise typer.BadParameter(f"{given[0]} is for attacks with a list of people only")
        asked = api.attack_names(api.ALL_ATTACKS if every else split_columns(by or (), ()))
        findings = _attack_itself(
            terminal, release, asked, policy, certificate, outsiders, on or (), before, sensitive
        )
        _fail_above(findings, fail_above)
        return
    if outsiders is None or not on:
        raise typer.BadParameter(
            "say what the attacker knows with --with and --on, or use --all for the attacks "
            "that need only the release"
        )
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


def _attack_itself(
    terminal: Terminal,
    release: Location,
    names: Sequence[str],
    policy: Path | None,
    certificate: Path | None,
    outsiders: Location | None,
    on: Sequence[str],
    before: Location | None,
    sensitive: Sequence[str] | None,
) -> Sequence[api.AttackResult]:
    """The attacks that use the release itself."""
    from lookalike.cli.output.release_attacks import release_attack_report

    if policy is None:
        raise typer.BadParameter("attacks on the release itself need --policy")
    opened = open_location(release)
    with terminal.step("Attacking the release"):
        findings = api.attack(
            as_argument(release),
            None if outsiders is None else open_location(outsiders),
            _pairs(on, opened.columns) if on else None,
            by=names,
            policy=api.load_policy(policy),
            sensitive=None if sensitive is None else split_columns(sensitive, opened.columns),
            before=open_location(before) if before else None,
            certificate=certificate,
        )
    terminal.document |= {"table": opened.name, "attacks": [_result(one) for one in findings]}
    terminal.answer(*release_attack_report(findings))
    return findings


def _fail_above(findings: Sequence[api.AttackResult], limit: float | None) -> None:
    """ReleaseRefused if an attack guesses a value with a higher chance than the limit."""
    fix = "require more (a larger k, or l-diversity), or remove a column"
    faults = [
        Fault("--fail-above", f"{result.attack}: a chance of {result.largest_posterior:.0%}", fix)
        for result in findings
        if limit is not None and result.largest_posterior > limit
    ]
    if faults:
        raise ReleaseRefused(faults)


def _result(result: api.AttackResult) -> dict[str, Any]:
    """An attack for the JSON document: numbers and sentences, no labels."""
    return {
        "attack": result.attack,
        "assumed": result.assumed,
        "largest_posterior": result.largest_posterior,
        "sentences": result.sentences,
    }


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
