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
    from lookalike.cli.input.request import request_from_file, request_from_flags
    from lookalike.cli.terminal.pipeline_session import answer, make_release

    locations.check()
    table = open_location(locations.table)
    if locations.policy is not None:
        request = request_from_file(locations.policy, flags, search_flags)
    else:
        request = request_from_flags(table, flags, search_flags)
    terminal.document |= {"table": table.name, "chosen": request.chosen}
    for line in request.chosen:
        terminal.note(line)
    run = make_release(terminal, locations, request, table)
    answer(terminal, locations, request, run)
