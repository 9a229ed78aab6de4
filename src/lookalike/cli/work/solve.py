"""Search, and write the solution down whole, also when cut short."""

from __future__ import annotations

from pathlib import Path

from lookalike import api
from lookalike.cli.address import Address, open_place
from lookalike.cli.asked import Flags, SearchFlags, from_file
from lookalike.cli.files import check_places, write_private
from lookalike.cli.interrupt import Interrupted
from lookalike.cli.searching import search, solution_facts
from lookalike.cli.show_claim import so_far
from lookalike.cli.show_solution import solution_summary
from lookalike.cli.talk import Talk
from lookalike.solution import file as solution_file
from lookalike.solution.solution import Status


def solve_policy(
    talk: Talk,
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
    with talk.doing("Counting who looks alike"):
        problem = api.prepare(opened, asked.policy)
    with talk.interrupt.stops_search():  # and what it found is written, come what may
        solution = search(talk, problem, asked.search, events)
        if solution.recoding is not None:
            write_private(output, solution_file.dumps(solution), force=force)
    talk.document |= {"table": opened.name, "solution": solution_facts(solution)}
    if solution.recoding is None:
        if talk.interrupt.pressed:
            raise Interrupted("interrupted before anything was found that meets the policy")
        api.release(opened, problem, solution)  # raises Infeasible or NotProven, with its reason
    talk.document["solution_file"] = output
    talk.answer(*solution_summary(solution, problem, output))
    if talk.interrupt.pressed:
        kept = so_far(solution, problem.policy.metric)
        raise Interrupted(f"interrupted; {kept}\n  {output}")
    solution.expect(Status(asked.search.want))
