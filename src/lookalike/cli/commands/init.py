"""``lookalike init``: a first draft of a policy file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import options
from lookalike.cli.terminal.terminal import Terminal

Draft = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write here, not to stdout.")
]
K = Annotated[int, typer.Option("--k", metavar="K", min=2, help="How many rows must look alike.")]


def init(
    terminal: Terminal,
    table: options.Table,
    k: K = 5,
    output: Draft = None,
    force: options.Force = False,
) -> None:
    """Draft a policy file from a table. Every guess is a comment with its reason."""
    from lookalike.cli.work.init import draft_policy

    draft_policy(terminal, table, k, output, force=force)
