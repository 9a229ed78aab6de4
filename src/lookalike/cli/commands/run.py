"""``lookalike run``: from a table to a verified release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import options
from lookalike.cli.terminal.terminal import Terminal

Policy = Annotated[
    Path | None,
    typer.Argument(metavar="POLICY", help="The policy file, TOML; or say it with flags instead."),
]
Qi = Annotated[
    list[str] | None,
    typer.Option(
        "--qi",
        metavar="COLUMNS",
        help="Columns an outsider could know, to be recoded: age,zip,sex. May be repeated.",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="COLUMNS", help="Columns that name people, to be left out."),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep", metavar="COLUMNS", help="Short for --sensitive: kept, and not called harmless."
    ),
]
Sensitive = Annotated[
    list[str] | None,
    typer.Option(
        "--sensitive", metavar="COLUMNS", help="Kept as they are: what is not to be learnt."
    ),
]
Insensitive = Annotated[
    list[str] | None,
    typer.Option("--insensitive", metavar="COLUMNS", help="Kept as they are, and harmless."),
]
Hierarchy = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="COLUMN=KIND",
        help="How a column gets coarser: age=bands:5,10,20, zip=prefix, born=dates, "
        "job=tree:FILE.csv, size=ordered:s,m,l, sex=flat. Guessed, and said, if not given.",
    ),
]
SavePolicy = Annotated[
    Path | None,
    typer.Option("--save-policy", metavar="FILE", help="Write the policy used, flags included."),
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
    """Anonymize a table: search, recode, verify, and only then write."""
    roles = {
        "qi": qi,
        "drop": drop,
        "keep": keep,
        "sensitive": sensitive,
        "insensitive": insensitive,
        "hierarchy": hierarchy,
    }
    given = {name: tuple(one) for name, one in roles.items() if one}
    if policy is None and not qi:
        raise typer.BadParameter("give a policy file, or say with --qi what is to be recoded")
    if policy is not None and given:
        said = ", ".join(f"--{name}" for name in given)
        raise typer.BadParameter(f"{said}: the policy file already gives every column its role")
    from lookalike.cli.input.locations import Places
    from lookalike.cli.input.request import Flags, SearchFlags
    from lookalike.cli.work.run import anonymize_table

    anonymize_table(
        terminal,
        Places(
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
        ),
        Flags(k=k, suppress=suppress, metric=metric, require=tuple(require or ()), **given),
        SearchFlags(by=by, seconds=seconds, checks=checks, want=want, seed=seed),
    )
