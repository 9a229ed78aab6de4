"""``lookalike solve``: search for a recoding and save it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import lookalike as la
from lookalike import api
from lookalike.cli import options
from lookalike.cli.input.table_address import open_location
from lookalike.cli.options import option
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import FaultCollector

SolutionOut = Annotated[
    Path, option("--output -o FILE", "Where to write the solution file. It is private.")
]


def solve(
    terminal: Terminal,
    table: options.Table,
    policy: options.PolicyPath,
    output: SolutionOut,
    *,
    search: options.SearchOptions,
    events: options.Events = None,
    force: options.Force = False,
) -> None:
    """Search for the best recoding. Saves it to a file, with its proof."""
    from lookalike.cli.input.output_files import check_paths, write_private
    from lookalike.cli.input.request import request_from_file
    from lookalike.cli.output.claim import best_so_far
    from lookalike.cli.output.solution import solution_summary
    from lookalike.cli.output.solution_facts import solution_facts
    from lookalike.cli.terminal.interrupt import NOTHING_FOUND, Interrupted
    from lookalike.cli.terminal.pipeline_session import pipeline_request, watch
    from lookalike.pipeline import Pipeline

    faults = FaultCollector()
    with faults.check():
        check_paths([output, events], [table, policy], force=force)
    with faults.check():
        request = request_from_file(policy, search)
    with faults.check():
        opened = open_location(table)
    faults.raise_faults()

    def keep(found: la.Solution) -> None:
        terminal.document |= {"table": opened.name, "solution": solution_facts(found)}
        if found.recoding is not None:
            write_private(output, api.solution_text(found), force=force)

    with watch(terminal, request, events) as observer:
        run = Pipeline(pipeline_request(terminal, request, opened), observer, keep)
        solution = run.search_only()
    if solution.recoding is None:
        if terminal.interrupt.pressed:
            raise Interrupted(NOTHING_FOUND)
        run.make_release()  # raises Infeasible or NotProven, with the reason
    terminal.document["solution_file"] = output
    terminal.answer(*solution_summary(solution, run.problem, output))
    if terminal.interrupt.pressed:
        kept = best_so_far(solution, run.policy.metric)
        raise Interrupted(f"interrupted; {kept}\n  {output}")
    solution.expect(run.request.want)
