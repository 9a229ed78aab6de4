"""``lookalike run``: anonymize a table and write the verified release."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from lookalike import api
from lookalike.cli import options
from lookalike.cli.options import argument, option
from lookalike.cli.terminal.terminal import Terminal

Policy = Annotated[
    Path | None, argument("POLICY", "The policy file (TOML), or use options such as --qi instead.")
]
SavePolicy = Annotated[
    Path | None, option("--save-policy FILE", "Write the policy used, including options.")
]


def run(
    terminal: Terminal,
    table: options.Table,
    output: options.Release,
    policy: Policy = None,
    *,
    flags: options.PolicyOptions,
    search: options.SearchOptions,
    solution: options.KeepSolution = None,
    save_policy: SavePolicy = None,
    write: options.ReleaseOptions,
    events: options.Events = None,
) -> None:
    """Anonymize a table: search, recode, verify, then write."""
    from lookalike.cli.input.command_inputs import read_inputs
    from lookalike.cli.input.locations import Locations
    from lookalike.cli.input.request import (
        Request,
        request_from_file,
        request_from_flags,
        search_settings,
    )
    from lookalike.cli.terminal.pipeline_session import answer, make_release

    if policy is None and not flags.qi:
        raise typer.BadParameter("give a policy file, or name the quasi-identifiers with --qi")
    if policy is not None and flags.roles:
        names = ", ".join(flags.roles)
        raise typer.BadParameter(f"{names}: the policy file already gives each column its role")
    files = (table, policy, output, solution, save_policy, events)
    locations = Locations(*files, **asdict(write))

    def read_request(opened: api.Table | None) -> Request | None:
        if policy is not None:
            return request_from_file(policy, search, flags)
        if opened is not None:
            return request_from_flags(opened, flags, search)
        search_settings(api.SearchSettings(), search)
        return None

    inputs = read_inputs(locations, read_request)
    request = inputs.request
    terminal.document |= {"table": inputs.table.name, "chosen": request.chosen}
    for line in request.chosen:
        terminal.note(line)
    pipeline = make_release(terminal, locations, request, inputs.table)
    answer(terminal, locations, request, pipeline)
