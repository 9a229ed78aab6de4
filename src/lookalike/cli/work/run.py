"""Search, recode, verify, write; and when cut short, keep the best."""

from __future__ import annotations

from lookalike import api
from lookalike.cli.asked import Asked, Flags, SearchFlags, from_file, from_flags, portable
from lookalike.cli.files import write_private
from lookalike.cli.keeping import keep_best, keep_if_asked
from lookalike.cli.places import Places
from lookalike.cli.searching import search, solution_facts
from lookalike.cli.show_release import release_summary
from lookalike.cli.talk import Talk
from lookalike.errors import NotProven
from lookalike.policy import file as policy_file
from lookalike.releasing.release import Release
from lookalike.solution import file as solution_file
from lookalike.solution.solution import Status
from lookalike.tables.open import open_table
from lookalike.tables.table import Table


def anonymize_table(talk: Talk, places: Places, flags: Flags, search_flags: SearchFlags) -> None:
    places.check()
    opened = open_table(places.table)
    if places.policy is not None:
        asked = from_file(places.policy, flags, search_flags)
    else:
        asked = from_flags(opened, flags, search_flags)
    talk.document |= {"table": opened.name, "chosen": asked.chosen}
    for line in asked.chosen:
        talk.note(line)
    release = _release(talk, opened, asked, places)
    with talk.doing("Writing, and verifying what was written", writing=True):
        release.write(places.out, force=places.force)
    files = [(places.out, "the release"), (places.certificate, "its certificate; share both")]
    if places.solution is not None:
        write_private(places.solution, solution_file.dumps(release.solution), force=places.force)
        files.append((places.solution, "private: belongs with the original"))
    if places.save_policy is not None:
        text = policy_file.dumps(portable(asked), asked.search)
        write_private(places.save_policy, text, force=places.force)
        files.append((places.save_policy, "the policy"))
    talk.document |= {
        "release": places.out,
        "certificate_file": places.certificate,
        "solution_file": places.solution,
        "policy_file": places.save_policy or places.policy,
        "solution": solution_facts(release.solution),
        "certificate": release.certificate.content,
    }
    talk.answer(*release_summary(release, files))


def _release(talk: Talk, table: Table, asked: Asked, places: Places) -> Release:
    """A verified release, not yet written. Raises when cut short, or weaker than wanted."""
    with talk.doing("Counting who looks alike"):
        problem = api.prepare(table, asked.policy)
    solution = search(talk, problem, asked.search, places.events)
    talk.document["solution"] = solution_facts(solution)
    if talk.interrupt.pressed:
        raise keep_best(talk, places, asked, solution)
    if solution.recoding is not None:
        try:
            solution.expect(Status(asked.search.want))
        except NotProven:
            keep_if_asked(talk, places, solution)
            raise
    with talk.doing("Recoding and verifying"):
        return api.release(table, problem, solution)
