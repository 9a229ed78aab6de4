"""``lookalike attack``: the people of another table looked up in a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.input.table_address import Place, place
from lookalike.cli.options import ADDRESSES
from lookalike.cli.terminal.terminal import Terminal

Release = Annotated[
    Place,
    typer.Argument(
        metavar="RELEASE",
        parser=place,
        help=f"The release, or any table: a .csv, .tsv, .txt or .parquet file, {ADDRESSES}.",
    ),
]
With = Annotated[
    Place,
    typer.Option(
        "--with",
        metavar="TABLE",
        parser=place,
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
    Place | None,
    typer.Option(
        "--before",
        metavar="TABLE",
        parser=place,
        help="The table before it was anonymized, attacked in the same way, to set beside it.",
    ),
]
Also = Annotated[
    Place | None,
    typer.Option(
        "--also",
        metavar="RELEASE",
        parser=place,
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
    from lookalike.cli.work.attack import Question, attack_release

    if name is not None and not terminal.show_values:
        raise typer.BadParameter("--name lists people, which needs --show-values")
    question = Question(on, sensitive, policy, before, also, name, fail_above)
    attack_release(terminal, release, outsiders, question)
