"""``lookalike reapply``: the recoding of an earlier table on the next one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import options
from lookalike.cli.terminal.terminal import Terminal

SolutionPath = Annotated[
    Path, typer.Argument(metavar="SOLUTION", help="The solution of the earlier table.")
]
SavePolicy = Annotated[
    Path | None,
    typer.Option(
        "--save-policy", metavar="FILE", help="Write the policy used, values new to it included."
    ),
]


def reapply(
    terminal: Terminal,
    table: options.Table,
    policy: options.PolicyPath,
    solution: SolutionPath,
    output: options.Release,
    seconds: options.Seconds = None,
    keep_solution: options.KeepSolution = None,
    save_policy: SavePolicy = None,
    certificate: options.Certificate = None,
    partition_by: options.PartitionBy = None,
    files_of: options.FilesOf = None,
    key: options.Key = None,
    ledger: options.Ledger = None,
    person: options.Person = None,
    force: options.Force = False,
) -> None:
    """Recode a table as an earlier one was, verify, and only then write."""
    from lookalike.cli.input.locations import Places
    from lookalike.cli.work.reapply import reapply_solution

    places = Places(
        table,
        policy,
        output,
        keep_solution,
        save_policy,
        force=force,
        copy=certificate,
        partition_by=tuple(partition_by or ()),
        files_of=files_of,
        key=key,
        ledger=ledger,
        person=tuple(person or ()),
    )
    reapply_solution(terminal, places, solution, seconds)
