"""``lookalike release``: recode a table according to a solution file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from lookalike import api
from lookalike.cli import options
from lookalike.cli.input.table_address import open_location
from lookalike.cli.parameter import argument
from lookalike.cli.terminal.terminal import Terminal

SolutionPath = Annotated[Path, argument("SOLUTION", "The solution file that solve wrote.")]


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
    """Recode a table according to a solution, verify, then write."""
    from lookalike.cli.input.locations import Locations
    from lookalike.cli.input.output_files import check_paths
    from lookalike.cli.input.request import PolicyFlags, SearchFlags, request_from_file
    from lookalike.cli.terminal.pipeline_session import answer, make_release

    locations = Locations(
        table,
        policy,
        output,
        force=force,
        certificate_copy=certificate,
        partition_by=tuple(partition_by or ()),
        files_of=files_of,
        key=key,
        ledger=ledger,
        person=tuple(person or ()),
        report=report,
        report_public=report_public,
    )
    locations.check()
    check_paths(locations.shared_files, [solution], force=force)
    request = request_from_file(policy, PolicyFlags(), SearchFlags(want="feasible"))
    loaded = api.load_solution(solution)
    opened = open_location(table)
    terminal.document["table"] = opened.name
    run = make_release(terminal, locations, request, opened, solution=loaded)
    answer(terminal, locations, request, run)
