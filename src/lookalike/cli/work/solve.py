"""Search, and write the solution down whole, also when cut short."""

from __future__ import annotations

from pathlib import Path

from lookalike import api
from lookalike.cli.input.output_files import check_places, write_private
from lookalike.cli.input.request import Flags, SearchFlags, from_file
from lookalike.cli.input.table_address import Address, open_place
from lookalike.cli.output.claim import so_far
from lookalike.cli.output.solution import solution_summary
from lookalike.cli.terminal.interrupt import Interrupted
from lookalike.cli.terminal.search_session import search, solution_facts
from lookalike.cli.terminal.terminal import Terminal
from lookalike.solution import solution_file
from lookalike.solution.solution import Status


def solve_policy(
    terminal: Terminal,
    table: Path | Address,
    policy: Path,
    output: Path,
    flags: SearchFlags,
    events: Path | None,
    *,
    force: bool,
) -> None:
    check_places([output, events], [table, policy], force=force)
    asked = from_file(policy, Flags(), flags)
    opened = open_place(table)
    with terminal.doing("Counting who looks alike"):
        problem = api.prepare(opened, asked.policy)
    with terminal.interrupt.stops_search():  # and what it found is written, come what may
        solution = search(terminal, problem, asked.search, events)
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
        kept = so_far(solution, problem.policy.metric)
        raise Interrupted(f"interrupted; {kept}\n  {output}")
    solution.expect(Status(asked.search.want))
