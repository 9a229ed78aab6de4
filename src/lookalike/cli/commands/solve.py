"""``lookalike solve``: search for a recoding and save it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from lookalike.cli import options
from lookalike.cli.input.table_address import open_location
from lookalike.cli.parameter import option
from lookalike.cli.terminal.terminal import Terminal

SolutionOut = Annotated[
    Path, option("--output -o FILE", "Where to write the solution file. It is private.")
]


def solve(
    terminal: Terminal,
    table: options.Table,
    policy: options.PolicyPath,
    output: SolutionOut,
    by: options.By = None,
    seconds: options.Seconds = None,
    checks: options.Checks = None,
    want: options.Want = None,
    seed: options.Seed = None,
    events: options.Events = None,
    force: options.Force = False,
) -> None:
    """Search for the best recoding. Saves it to a file, with its proof."""
    from lookalike import api
    from lookalike.cli.input.output_files import check_paths, write_private
    from lookalike.cli.input.request import PolicyFlags, SearchFlags, request_from_file
    from lookalike.cli.output.claim import best_so_far
    from lookalike.cli.output.solution import solution_summary
    from lookalike.cli.terminal.interrupt import Interrupted
    from lookalike.cli.terminal.search_session import search, solution_facts
    from lookalike.solution import solution_file
    from lookalike.solution.solution import Status

    flags = SearchFlags(by=by, seconds=seconds, checks=checks, want=want, seed=seed)
    check_paths([output, events], [table, policy], force=force)
    request = request_from_file(policy, PolicyFlags(), flags)
    opened = open_location(table)
    with terminal.step("Counting who looks alike"):
        problem = api.prepare(opened, request.policy)
    with terminal.interrupt.stop_search():  # what it found is written in any case
        solution = search(terminal, problem, request.search, events)
        if solution.recoding is not None:
            write_private(output, solution_file.dumps(solution), force=force)
    terminal.document |= {"table": opened.name, "solution": solution_facts(solution)}
    if solution.recoding is None:
        if terminal.interrupt.pressed:
            raise Interrupted("interrupted before anything was found that meets the policy")
        api.release(opened, problem, solution)  # raises Infeasible or NotProven, with its reason
    terminal.document["solution_file"] = output
    terminal.answer(*solution_summary(solution, problem, output))
    if terminal.interrupt.pressed:
        kept = best_so_far(solution, problem.policy.metric)
        raise Interrupted(f"interrupted; {kept}\n  {output}")
    solution.expect(Status(request.search.want))
