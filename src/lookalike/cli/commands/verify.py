"""``lookalike verify``: look at a release with fresh eyes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import options
from lookalike.cli.input.table_address import Place, place
from lookalike.cli.terminal.terminal import Terminal

Released = Annotated[
    Place,
    typer.Argument(
        metavar="RELEASE", parser=place, help=f"The released table: a file, {options.ADDRESSES}."
    ),
]
CertificatePath = Annotated[
    Path | None,
    typer.Option(
        "--certificate",
        metavar="FILE",
        help="Its certificate; if not said, RELEASE.certificate.json, or what the database has.",
    ),
]
Original = Annotated[
    Place | None,
    typer.Option(
        "--original",
        metavar="TABLE",
        parser=place,
        help="The original, to check it all: a file or an address.",
    ),
]
PolicyFile = Annotated[
    Path | None, typer.Option("--policy", metavar="FILE", help="The policy; goes with --original.")
]
SolutionFile = Annotated[
    Path | None,
    typer.Option("--solution", metavar="FILE", help="The solution; goes with the others."),
]


def verify(
    terminal: Terminal,
    release: Released,
    certificate: CertificatePath = None,
    original: Original = None,
    policy: PolicyFile = None,
    solution: SolutionFile = None,
    key: options.Key = None,
) -> None:
    """Check a release with fresh eyes. With the original, its proof is checked too."""
    inside = (original, policy, solution)
    if any(inside) and not all(inside):
        raise typer.BadParameter("--original, --policy and --solution go together")
    from lookalike.cli.work.verify import verify_table

    verify_table(terminal, release, certificate, inside, key)
