"""``lookalike compare``: several algorithms on one problem."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import options
from lookalike.cli.terminal.terminal import Terminal

Algorithms = Annotated[
    list[str] | None,
    typer.Option("--by", metavar="ALGORITHMS", help="Which: flash,datafly,samarati:every; or all."),
]
Label = Annotated[
    str | None,
    typer.Option("--class", metavar="COLUMN", help="Show CM too, for this class column."),
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw quality against time: .html, .svg, .png."),
]


def compare(
    terminal: Terminal,
    table: options.Table,
    policy: options.PolicyPath,
    by: Algorithms = None,
    seconds: options.Seconds = None,
    checks: options.Checks = None,
    seed: options.Seed = None,
    label: Label = None,
    plot: Plot = None,
    force: options.Force = False,
) -> None:
    """Run several algorithms on one problem. All are judged by the best bound."""
    from lookalike.cli.input.request import SearchFlags
    from lookalike.cli.work.compare import compare_algorithms

    flags = SearchFlags(seconds=seconds, checks=checks, seed=seed)
    labels = [label] if label else []
    compare_algorithms(terminal, table, policy, by or [], flags, labels, plot, force=force)
