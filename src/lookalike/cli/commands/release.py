"""``lookalike release``: recode a table according to a solution file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from lookalike.cli import options
from lookalike.cli.input.table_address import open_location
from lookalike.cli.parameter import argument
from lookalike.cli.terminal.terminal import Terminal

SolutionPath = Annotated[Path, argument("SOLUTION", "The solution file that solve wrote.")]


def release(
    terminal: Terminal,
    table: options.Table,
    policy: options.PolicyPath,
    solution: SolutionPath,
    output: options.Release,
    certificate: options.Certificate = None,
    report: options.Report = None,
    report_public: options.ReportPublic = None,
    partition_by: options.PartitionBy = None,
    files_of: options.FilesOf = None,
    key: options.Key = None,
    ledger: options.Ledger = None,
    person: options.Person = None,
    force: options.Force = False,
) -> None:
    """Recode a table according to a solution, verify, then write."""
    from lookalike import api
    from lookalike.cli.input.locations import Locations
    from lookalike.cli.input.output_files import check_paths
    from lookalike.cli.output.ledger import report_entry
    from lookalike.cli.output.release import release_summary
    from lookalike.cli.terminal.search_session import solution_facts
    from lookalike.policy.policy_file import load
    from lookalike.pseudonyms.secret_key import needed_key
    from lookalike.solution import solution_file

    locations = Locations(
        table,
        policy,
        output,
        force=force,
        certificate_copy=certificate,
        partition_by=tuple(partition_by or ()),
        files_of=files_of,
        key=key,
        ledger=ledger,
        person=tuple(person or ()),
        report=report,
        report_public=report_public,
    )
    locations.check()
    check_paths(locations.shared_files, [solution], force=force)
    loaded = load(policy).policy
    secret = needed_key(loaded, key)
    found = solution_file.load(solution)
    opened = open_location(table)
    with terminal.step("Recoding and verifying"):
        problem = api.prepare(opened, loaded)
        made = api.release(opened, problem, found, key=secret)
    with terminal.step("Writing, and verifying what was written", writing=True):
        report_entry(terminal, locations, locations.write(made))
        locations.write_certificate_copy(made)
        locations.write_reports(made)
    terminal.document |= {
        "table": opened.name,
        "release": locations.release_name,
        "certificate_file": locations.certificate or locations.certificate_copy,
        "report_file": report,
        "public_report_file": report_public,
        "solution": solution_facts(found),
        "certificate": made.certificate.content,
    }
    terminal.answer(*release_summary(made, problem, locations.written_files()))
