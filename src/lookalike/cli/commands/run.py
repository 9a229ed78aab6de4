"""``lookalike run``: anonymize a table and write the verified release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli import options
from lookalike.cli.input.table_address import open_location
from lookalike.cli.parameter import argument, option
from lookalike.cli.terminal.terminal import Terminal

if TYPE_CHECKING:
    from lookalike.cli.input.locations import Locations
    from lookalike.cli.input.request import PolicyFlags, SearchFlags

Policy = Annotated[
    Path | None, argument("POLICY", "The policy file (TOML), or use options such as --qi instead.")
]
Qi = Annotated[
    list[str] | None,
    option(
        "--qi COLUMNS",
        "Quasi-identifiers: columns an outsider could know, for example age,zip,sex. They are "
        "generalized. May be repeated.",
    ),
]
Drop = Annotated[
    list[str] | None,
    option("--drop COLUMNS", "Identifiers: columns that name people. They are removed."),
]
Keep = Annotated[list[str] | None, option("--keep COLUMNS", "The same as --sensitive.")]
Sensitive = Annotated[
    list[str] | None,
    option(
        "--sensitive COLUMNS",
        "Sensitive columns: nobody should learn them about a person. Kept unchanged.",
    ),
]
Insensitive = Annotated[
    list[str] | None, option("--insensitive COLUMNS", "Harmless columns. Kept unchanged.")
]
Hierarchy = Annotated[
    list[str] | None,
    option(
        "--hierarchy COLUMN=KIND",
        "How values become less precise: age=bands:5,10,20, zip=prefix, born=dates, "
        "job=tree:FILE.csv, size=ordered:s,m,l, sex=flat. Default: guessed and reported.",
    ),
]
SavePolicy = Annotated[
    Path | None, option("--save-policy FILE", "Write the policy used, including options.")
]


def run(
    terminal: Terminal,
    table: options.Table,
    output: options.Release,
    policy: Policy = None,
    qi: Qi = None,
    drop: Drop = None,
    keep: Keep = None,
    sensitive: Sensitive = None,
    insensitive: Insensitive = None,
    hierarchy: Hierarchy = None,
    k: options.K = None,
    require: options.Require = None,
    suppress: options.Suppress = None,
    metric: options.Metric = None,
    by: options.By = None,
    seconds: options.Seconds = None,
    checks: options.Checks = None,
    want: options.Want = None,
    seed: options.Seed = None,
    solution: options.KeepSolution = None,
    save_policy: SavePolicy = None,
    certificate: options.Certificate = None,
    report: options.Report = None,
    report_public: options.ReportPublic = None,
    partition_by: options.PartitionBy = None,
    files_of: options.FilesOf = None,
    key: options.Key = None,
    ledger: options.Ledger = None,
    person: options.Person = None,
    events: options.Events = None,
    force: options.Force = False,
) -> None:
    """Anonymize a table: search, recode, verify, then write."""
    from lookalike.cli.input.locations import Locations
    from lookalike.cli.input.request import PolicyFlags, SearchFlags

    flags = PolicyFlags(
        k=k,
        suppress=suppress,
        metric=metric,
        require=tuple(require or ()),
        qi=tuple(qi or ()),
        drop=tuple(drop or ()),
        keep=tuple(keep or ()),
        sensitive=tuple(sensitive or ()),
        insensitive=tuple(insensitive or ()),
        hierarchy=tuple(hierarchy or ()),
    )
    if policy is None and not qi:
        raise typer.BadParameter("give a policy file, or name the quasi-identifiers with --qi")
    if policy is not None and flags.roles:
        names = ", ".join(flags.roles)
        raise typer.BadParameter(f"{names}: the policy file already gives each column its role")
    search_flags = SearchFlags(by=by, seconds=seconds, checks=checks, want=want, seed=seed)
    locations = Locations(
        table,
        policy,
        output,
        solution,
        save_policy,
        events,
        force,
        certificate,
        tuple(partition_by or ()),
        files_of,
        key,
        ledger,
        tuple(person or ()),
        report,
        report_public,
    )
    _anonymize(terminal, locations, flags, search_flags)


def _anonymize(
    terminal: Terminal, locations: Locations, flags: PolicyFlags, search_flags: SearchFlags
) -> None:
    from lookalike import api
    from lookalike.cli.input.output_files import write_private
    from lookalike.cli.input.request import portable_policy, request_from_file, request_from_flags
    from lookalike.cli.output.ledger import report_entry
    from lookalike.cli.output.release import release_summary
    from lookalike.cli.terminal.recovery import recover_on_interrupt, save_solution
    from lookalike.cli.terminal.search_session import search, solution_facts
    from lookalike.policy import policy_file
    from lookalike.pseudonyms.secret_key import needed_key
    from lookalike.releasing.pseudonymize import check_pseudonyms
    from lookalike.solution.solution import Status
    from lookalike.tables.table import preparing_release

    locations.check()
    opened = open_location(locations.table)
    if locations.policy is not None:
        request = request_from_file(locations.policy, flags, search_flags)
    else:
        request = request_from_flags(opened, flags, search_flags)
    key = needed_key(request.policy, locations.key)
    terminal.document |= {"table": opened.name, "chosen": request.chosen}
    for line in request.chosen:
        terminal.note(line)
    with preparing_release(opened):
        with terminal.step("Counting who looks alike"):
            problem = api.prepare(opened, request.policy)
            check_pseudonyms(opened, request.policy)
        with terminal.interrupt.stop_search():  # what it found is written in any case
            found = search(terminal, problem, request.search, locations.events)
            terminal.document["solution"] = solution_facts(found)
            save_solution(terminal, locations, found)
        with recover_on_interrupt(terminal, locations, request, found):
            if found.status in (Status.OPTIMAL, Status.FEASIBLE):
                found.expect(Status(request.search.want))
            with terminal.step("Recoding and verifying"):
                release = api.release(opened, problem, found, key=key)
            with terminal.step("Writing, and verifying what was written", writing=True):
                report_entry(terminal, locations, locations.write(release))
    locations.write_certificate_copy(release)
    if locations.report or locations.report_public:
        with terminal.step("Writing the report"):
            locations.write_reports(release)
    files = locations.written_files()
    if locations.solution is not None:
        files.append((locations.solution, "private: belongs with the original"))
    if locations.save_policy is not None:
        text = policy_file.dumps(portable_policy(request), request.search)
        write_private(locations.save_policy, text, force=locations.force)
        files.append((locations.save_policy, "the policy"))
    terminal.document |= {
        "release": locations.release_name,
        "certificate_file": locations.certificate or locations.certificate_copy,
        "report_file": locations.report,
        "public_report_file": locations.report_public,
        "solution_file": locations.solution,
        "policy_file": locations.save_policy or locations.policy,
        "certificate": release.certificate.content,
    }
    terminal.answer(*release_summary(release, problem, files))
