"""``lookalike reapply``: apply the recoding of an earlier table to a new one."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from lookalike.cli import options
from lookalike.cli.options import argument, option
from lookalike.cli.terminal.terminal import Terminal

SolutionPath = Annotated[Path, argument("SOLUTION", "The solution file of the earlier table.")]
SavePolicy = Annotated[
    Path | None, option("--save-policy FILE", "Write the policy used, with values that were new.")
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
    *,
    write: options.WriteOptions,
) -> None:
    """Recode a new table as an earlier one, verify, then write."""
    from lookalike.cli.input.command_inputs import read_inputs
    from lookalike.cli.input.locations import Locations
    from lookalike.cli.input.request import request_from_file
    from lookalike.cli.terminal.pipeline_session import answer, make_release

    locations = Locations(
        table, policy, output, keep_solution, save_policy, read=(solution,), **asdict(write)
    )
    search = options.SearchOptions(seconds=seconds, want="feasible")
    inputs = read_inputs(locations, lambda opened: request_from_file(policy, search), solution)
    request, before = inputs.request, inputs.solution
    assert before is not None
    terminal.document["table"] = inputs.table.name
    run = make_release(terminal, locations, request, inputs.table, earlier=before)
    for unseen in run.unseen:
        terminal.note(unseen.sentence())
    applied = run.release.solution
    terminal.note(
        f"suppressed: {applied.suppressed:,} of {applied.rows:,} rows; "
        f"in the earlier table: {before.suppressed:,} of {before.rows:,}"
    )
    terminal.document |= {
        "unseen": [asdict(unseen) for unseen in run.unseen],
        "before": {"rows": before.rows, "suppressed": before.suppressed},
    }
    answer(terminal, locations, request, run)
