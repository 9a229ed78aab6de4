"""``lookalike check``: is a table already safe? An answer that a pipeline can act on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import options
from lookalike.cli.terminal.terminal import Terminal

Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="COLUMNS",
        help="Columns an outsider could know: age,zip,sex. May be repeated.",
    ),
]
PolicyFile = Annotated[
    Path | None,
    typer.Option("--policy", metavar="FILE", help="Take columns and requirements of a policy."),
]


def check(
    terminal: Terminal,
    table: options.Table,
    by: Columns = None,
    policy: PolicyFile = None,
    k: options.K = None,
    require: options.Require = None,
) -> None:
    """Check whether a table is safe as it is. Ends with 0 if it is, with 4 if not."""
    if policy is None and not by:
        raise typer.BadParameter("name the columns an outsider could know with --by, or --policy")
    from lookalike.cli.work.check import check_table

    check_table(terminal, table, tuple(by or ()), policy, k, tuple(require or ()))
