"""``lookalike risk``: who stands out in a table."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli import options
from lookalike.cli.talk import Talk

Columns = Annotated[
    list[str],
    typer.Option(
        "--by",
        metavar="COLUMNS",
        help="Columns an outsider could know: age,zip,sex. May be repeated.",
    ),
]


def risk(talk: Talk, table: options.Table, by: Columns) -> None:
    """Measure who stands out in a table. Changes nothing."""
    from lookalike.cli.work.risk import measure_risk

    measure_risk(talk, table, by)
