"""Recode as the solution says, verify it as if a stranger had written it, write."""

from __future__ import annotations

from pathlib import Path

from lookalike import api
from lookalike.cli.address import open_place
from lookalike.cli.files import check_places
from lookalike.cli.places import Places
from lookalike.cli.searching import solution_facts
from lookalike.cli.show_ledger import entered
from lookalike.cli.show_release import release_summary
from lookalike.cli.talk import Talk
from lookalike.policy.file import load
from lookalike.pseudonyms.key import needed_key
from lookalike.solution import file as solution_file


def release_solution(talk: Talk, places: Places, solution: Path) -> None:
    places.check()
    outputs = (None if places.folder else places.out, places.certificate, places.copy)
    reports = (places.report, places.report_public)
    check_places((*outputs, *reports), [solution], force=places.force)
    assert places.policy is not None
    policy = load(places.policy).policy
    key = needed_key(policy, places.key)
    found = solution_file.load(solution)
    opened = open_place(places.table)
    with talk.doing("Recoding and verifying"):
        problem = api.prepare(opened, policy)
        made = api.release(opened, problem, found, key=key)
    with talk.doing("Writing, and verifying what was written", writing=True):
        entered(talk, places, places.write(made))
        places.write_copy(made)
        places.write_reports(made)
    talk.document |= {
        "table": opened.name,
        "release": places.called,
        "certificate_file": places.certificate or places.copy,
        "report_file": places.report,
        "public_report_file": places.report_public,
        "solution": solution_facts(found),
        "certificate": made.certificate.content,
    }
    talk.answer(*release_summary(made, problem, places.written()))
