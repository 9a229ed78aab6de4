"""Recode as before, say what is new, verify, write."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from lookalike import api
from lookalike.cli.input.locations import Places
from lookalike.cli.input.output_files import check_places, write_private
from lookalike.cli.input.request import Flags, SearchFlags, from_file, portable
from lookalike.cli.input.table_address import open_place
from lookalike.cli.output.ledger import entered
from lookalike.cli.output.release import release_summary
from lookalike.cli.terminal.search_session import solution_facts
from lookalike.cli.terminal.terminal import Terminal
from lookalike.policy import policy_file
from lookalike.search.limits import Limits
from lookalike.solution import solution_file


def reapply_solution(
    terminal: Terminal, places: Places, solution: Path, seconds: float | None
) -> None:
    places.check()
    check_places((), [solution], force=places.force)
    assert places.policy is not None
    asked = from_file(places.policy, Flags(), SearchFlags())
    before = solution_file.load(solution)
    opened = open_place(places.table)
    limits = Limits(seconds=asked.search.seconds if seconds is None else seconds)
    with terminal.doing("Recoding as before, and verifying"):
        found = api.reapply(opened, asked.policy, before, limits, key=places.key)
    for one in found.unseen:
        terminal.note(one.sentence())
    applied = found.release.solution
    terminal.note(
        f"suppressed: {applied.suppressed:,} of {applied.rows:,} rows; "
        f"before, {before.suppressed:,} of {before.rows:,}"
    )
    with terminal.doing("Writing, and verifying what was written", writing=True):
        entered(terminal, places, places.write(found.release))
    places.write_copy(found.release)
    files = places.written()
    if places.solution is not None:
        write_private(places.solution, solution_file.dumps(applied), force=places.force)
        files.append((places.solution, "private: belongs with the original"))
    if places.save_policy is not None:
        used = dataclasses.replace(asked, policy=found.policy)
        text = policy_file.dumps(portable(used), asked.search)
        write_private(places.save_policy, text, force=places.force)
        files.append((places.save_policy, "the policy"))
    terminal.document |= {
        "table": opened.name,
        "release": places.called,
        "certificate_file": places.certificate or places.copy,
        "unseen": [dataclasses.asdict(one) for one in found.unseen],
        "before": {"rows": before.rows, "suppressed": before.suppressed},
        "solution": solution_facts(applied),
        "solution_file": places.solution,
        "policy_file": places.save_policy or places.policy,
        "certificate": found.release.certificate.content,
    }
    problem = api.prepare(opened, found.policy)
    terminal.answer(*release_summary(found.release, problem, files))
