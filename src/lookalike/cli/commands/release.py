"""``lookalike release``: recode a table according to a solution file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from lookalike.cli import options
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
    from lookalike.cli.input.command_inputs import read_inputs
    from lookalike.cli.input.locations import Locations
    from lookalike.cli.input.request import request_from_file
    from lookalike.cli.terminal.pipeline_session import answer, make_release

    locations = Locations(table, policy, output, read=(solution,), **asdict(write))
    search = options.SearchOptions(want="feasible")
    inputs = read_inputs(locations, lambda opened: request_from_file(policy, search), solution)
    terminal.document["table"] = inputs.table.name
    run = make_release(terminal, locations, inputs.request, inputs.table, solution=inputs.solution)
    answer(terminal, locations, inputs.request, run)
