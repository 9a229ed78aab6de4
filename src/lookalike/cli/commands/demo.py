"""``lookalike demo``: the whole story on an invented hospital."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import options
from lookalike.cli.terminal.terminal import Terminal

Rows = Annotated[
    int,
    typer.Option(
        "--rows", metavar="N", min=100, max=2_000_000, help="How many patients to invent."
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="The same seed, the same patients.")
]
K = Annotated[int, typer.Option("--k", metavar="K", min=2, help="How many rows must look alike.")]
Folder = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="DIR", help="Keep the files here; else a new folder."),
]


def demo(
    terminal: Terminal,
    rows: Rows = 10_000,
    seed: Seed = 0,
    k: K = 5,
    output: Folder = None,
    force: options.Force = False,
) -> None:
    """See it all on an invented hospital. Takes some seconds and asks nothing."""
    from lookalike.cli.work.demo import tell_the_story

    tell_the_story(terminal, rows, seed, k, output, force=force)
