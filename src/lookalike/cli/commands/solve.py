"""``lookalike solve``: the search alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import options
from lookalike.cli.terminal.terminal import Terminal

SolutionOut = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FILE", help="The solution file to write; private."),
]


def solve(
    terminal: Terminal,
    table: options.Table,
    policy: options.PolicyPath,
    output: SolutionOut,
    by: options.By = None,
    seconds: options.Seconds = None,
    checks: options.Checks = None,
    want: options.Want = None,
    seed: options.Seed = None,
    events: options.Events = None,
    force: options.Force = False,
) -> None:
    """Search for the best recoding. It is kept in a file, with its proof."""
    from lookalike.cli.input.request import SearchFlags
    from lookalike.cli.work.solve import solve_policy

    flags = SearchFlags(by=by, seconds=seconds, checks=checks, want=want, seed=seed)
    solve_policy(terminal, table, policy, output, flags, events, force=force)
