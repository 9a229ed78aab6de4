"""Search, recode, verify, write; and when cut short, keep the best."""

from __future__ import annotations

from lookalike import api
from lookalike.cli.address import open_place
from lookalike.cli.asked import Flags, SearchFlags, from_file, from_flags, portable
from lookalike.cli.files import write_private
from lookalike.cli.keeping import keep_if_asked, never_lost
from lookalike.cli.places import Places
from lookalike.cli.searching import search, solution_facts
from lookalike.cli.show_ledger import entered
from lookalike.cli.show_release import release_summary
from lookalike.cli.talk import Talk
from lookalike.policy import file as policy_file
from lookalike.pseudonyms.key import needed_key
from lookalike.releasing.pseudonymise import check_pseudonyms
from lookalike.solution.solution import Status
from lookalike.tables.table import release_expected


def anonymize_table(talk: Talk, places: Places, flags: Flags, search_flags: SearchFlags) -> None:
    places.check()
    opened = open_place(places.table)
    if places.policy is not None:
        asked = from_file(places.policy, flags, search_flags)
    else:
        asked = from_flags(opened, flags, search_flags)
    key = needed_key(asked.policy, places.key)
    talk.document |= {"table": opened.name, "chosen": asked.chosen}
    for line in asked.chosen:
        talk.note(line)
    with release_expected(opened):
        with talk.doing("Counting who looks alike"):
            problem = api.prepare(opened, asked.policy)
            check_pseudonyms(opened, asked.policy)
        with talk.interrupt.stops_search():  # and what it found is written, come what may
            solution = search(talk, problem, asked.search, places.events)
            talk.document["solution"] = solution_facts(solution)
            keep_if_asked(talk, places, solution)
        with never_lost(talk, places, asked, solution):
            if solution.status in (Status.OPTIMAL, Status.FEASIBLE):
                solution.expect(Status(asked.search.want))
            with talk.doing("Recoding and verifying"):
                release = api.release(opened, problem, solution, key=key)
            with talk.doing("Writing, and verifying what was written", writing=True):
                entered(talk, places, places.write(release))
    places.write_copy(release)
    if places.report or places.report_public:
        with talk.doing("Writing the report"):
            places.write_reports(release)
    files = places.written()
    if places.solution is not None:
        files.append((places.solution, "private: belongs with the original"))
    if places.save_policy is not None:
        text = policy_file.dumps(portable(asked), asked.search)
        write_private(places.save_policy, text, force=places.force)
        files.append((places.save_policy, "the policy"))
    talk.document |= {
        "release": places.called,
        "certificate_file": places.certificate or places.copy,
        "report_file": places.report,
        "public_report_file": places.report_public,
        "solution_file": places.solution,
        "policy_file": places.save_policy or places.policy,
        "certificate": release.certificate.content,
    }
    talk.answer(*release_summary(release, problem, files))
