"""``lookalike release``: recode a table according to a solution file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from lookalike import api
from lookalike.cli import options
from lookalike.cli.input.table_address import open_location
from lookalike.cli.options import argument
from lookalike.cli.terminal.terminal import Terminal

SolutionPath = Annotated[Path, argument("SOLUTION", "The solution file that solve wrote.")]


def release(
    terminal: Terminal,
    table: options.Table,
    policy: options.PolicyPath,
    solution: SolutionPath,
    output: options.Release,
    *,
    write: options.ReleaseOptions,
) -> None:
    """Recode a table according to a solution, verify, then write."""
    from lookalike.cli.input.locations import Locations
    from lookalike.cli.input.output_files import check_paths
    from lookalike.cli.input.request import request_from_file
    from lookalike.cli.terminal.pipeline_session import answer, make_release

    locations = Locations(table, policy, output, **asdict(write))
    locations.check()
    check_paths(locations.shared_files, [solution], force=write.force)
    request = request_from_file(policy, options.SearchOptions(want="feasible"))
    loaded = api.load_solution(solution)
    opened = open_location(table)
    terminal.document["table"] = opened.name
    run = make_release(terminal, locations, request, opened, solution=loaded)
    answer(terminal, locations, request, run)
