"""Search, recode, verify, write; and when cut short, keep the best."""

from __future__ import annotations

from lookalike import api
from lookalike.cli.input.locations import Places
from lookalike.cli.input.output_files import write_private
from lookalike.cli.input.request import Flags, SearchFlags, from_file, from_flags, portable
from lookalike.cli.input.table_address import open_place
from lookalike.cli.output.ledger import entered
from lookalike.cli.output.release import release_summary
from lookalike.cli.terminal.recovery import keep_if_asked, never_lost
from lookalike.cli.terminal.search_session import search, solution_facts
from lookalike.cli.terminal.terminal import Terminal
from lookalike.policy import policy_file
from lookalike.pseudonyms.secret_key import needed_key
from lookalike.releasing.pseudonymize import check_pseudonyms
from lookalike.solution.solution import Status
from lookalike.tables.table import release_expected


def anonymize_table(
    terminal: Terminal, places: Places, flags: Flags, search_flags: SearchFlags
) -> None:
    places.check()
    opened = open_place(places.table)
    if places.policy is not None:
        asked = from_file(places.policy, flags, search_flags)
    else:
        asked = from_flags(opened, flags, search_flags)
    key = needed_key(asked.policy, places.key)
    terminal.document |= {"table": opened.name, "chosen": asked.chosen}
    for line in asked.chosen:
        terminal.note(line)
    with release_expected(opened):
        with terminal.doing("Counting who looks alike"):
            problem = api.prepare(opened, asked.policy)
            check_pseudonyms(opened, asked.policy)
        with terminal.interrupt.stops_search():  # and what it found is written, come what may
            solution = search(terminal, problem, asked.search, places.events)
            terminal.document["solution"] = solution_facts(solution)
            keep_if_asked(terminal, places, solution)
        with never_lost(terminal, places, asked, solution):
            if solution.status in (Status.OPTIMAL, Status.FEASIBLE):
                solution.expect(Status(asked.search.want))
            with terminal.doing("Recoding and verifying"):
                release = api.release(opened, problem, solution, key=key)
            with terminal.doing("Writing, and verifying what was written", writing=True):
                entered(terminal, places, places.write(release))
    places.write_copy(release)
    if places.report or places.report_public:
        with terminal.doing("Writing the report"):
            places.write_reports(release)
    files = places.written()
    if places.solution is not None:
        files.append((places.solution, "private: belongs with the original"))
    if places.save_policy is not None:
        text = policy_file.dumps(portable(asked), asked.search)
        write_private(places.save_policy, text, force=places.force)
        files.append((places.save_policy, "the policy"))
    terminal.document |= {
        "release": places.called,
        "certificate_file": places.certificate or places.copy,
        "report_file": places.report,
        "public_report_file": places.report_public,
        "solution_file": places.solution,
        "policy_file": places.save_policy or places.policy,
        "certificate": release.certificate.content,
    }
    terminal.answer(*release_summary(release, problem, files))
