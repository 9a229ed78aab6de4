"""``lookalike release``: the table that a solution stands for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import options
from lookalike.cli.terminal.terminal import Terminal

SolutionPath = Annotated[
    Path, typer.Argument(metavar="SOLUTION", help="The solution file that solve wrote.")
]


def release(
    terminal: Terminal,
    table: options.Table,
    policy: options.PolicyPath,
    solution: SolutionPath,
    output: options.Release,
    certificate: options.Certificate = None,
    report: options.Report = None,
    report_public: options.ReportPublic = None,
    partition_by: options.PartitionBy = None,
    files_of: options.FilesOf = None,
    key: options.Key = None,
    ledger: options.Ledger = None,
    person: options.Person = None,
    force: options.Force = False,
) -> None:
    """Recode a table as a solution says, verify, and only then write."""
    from lookalike.cli.input.locations import Places
    from lookalike.cli.work.release import release_solution

    places = Places(table, policy, output, force=force, copy=certificate,
                    partition_by=tuple(partition_by or ()), files_of=files_of, key=key,
                    ledger=ledger, person=tuple(person or ()), report=report,
                    report_public=report_public)  # fmt: skip
    release_solution(terminal, places, solution)
