"""Recode as the solution says, verify it as if a stranger had written it, write."""

from __future__ import annotations

from pathlib import Path

from lookalike import api
from lookalike.cli.input.locations import Places
from lookalike.cli.input.output_files import check_places
from lookalike.cli.input.table_address import open_place
from lookalike.cli.output.ledger import entered
from lookalike.cli.output.release import release_summary
from lookalike.cli.terminal.search_session import solution_facts
from lookalike.cli.terminal.terminal import Terminal
from lookalike.policy.policy_file import load
from lookalike.pseudonyms.secret_key import needed_key
from lookalike.solution import solution_file


def release_solution(terminal: Terminal, places: Places, solution: Path) -> None:
    places.check()
    outputs = (None if places.folder else places.out, places.certificate, places.copy)
    reports = (places.report, places.report_public)
    check_places((*outputs, *reports), [solution], force=places.force)
    assert places.policy is not None
    policy = load(places.policy).policy
    key = needed_key(policy, places.key)
    found = solution_file.load(solution)
    opened = open_place(places.table)
    with terminal.doing("Recoding and verifying"):
        problem = api.prepare(opened, policy)
        made = api.release(opened, problem, found, key=key)
    with terminal.doing("Writing, and verifying what was written", writing=True):
        entered(terminal, places, places.write(made))
        places.write_copy(made)
        places.write_reports(made)
    terminal.document |= {
        "table": opened.name,
        "release": places.called,
        "certificate_file": places.certificate or places.copy,
        "report_file": places.report,
        "public_report_file": places.report_public,
        "solution": solution_facts(found),
        "certificate": made.certificate.content,
    }
    terminal.answer(*release_summary(made, problem, places.written()))
