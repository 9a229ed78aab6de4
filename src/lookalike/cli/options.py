"""How arguments and options are written, and those that several commands have.

A dataclass is a group of options that belong together; a command takes it as one parameter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli.input.table_address import Location, parse_location


def option(usage: str, help: str, **limits: Any) -> Any:
    """An option by its usage: ``--output -o FILE``, or ``--force`` for a switch."""
    parts = usage.split()
    metavar = None if parts[-1].startswith("-") else parts.pop()
    return typer.Option(*parts, metavar=metavar, help=help, **limits)


def argument(metavar: str, help: str, **limits: Any) -> Any:
    """An argument by its position."""
    return typer.Argument(metavar=metavar, help=help, **limits)


def location(usage: str, help: str) -> Any:
    """An option that takes a file or the address of a table."""
    return option(usage, help, parser=parse_location)


ADDRESSES = "'postgresql://HOST/DB?table=SCHEMA.NAME' or spark:CATALOG.TABLE"
DUCKDB = "'duckdb:FILE.duckdb?table=NAME'"
Table = Annotated[
    Location,
    argument(
        "TABLE",
        f"The table: a .csv, .tsv, .txt (also .gz) or .parquet file, {DUCKDB}, {ADDRESSES}.",
        parser=parse_location,
    ),
]
PolicyPath = Annotated[
    Path, argument("POLICY", "The policy file (TOML). The command init drafts one.")
]
Force = Annotated[
    bool, option("--force", "Replace existing files and tables, but never the input.")
]
Seconds = Annotated[
    float | None, option("--seconds N", "Time limit of the search (seconds).", min=0.001)
]
Checks = Annotated[int | None, option("--checks N", "Stop after evaluating N recodings.", min=1)]
Seed = Annotated[int | None, option("--seed N", "Seed of randomized algorithms.", min=0)]
Events = Annotated[
    Path | None, option("--events FILE", "Write the events of the search to FILE (JSON lines).")
]
K = Annotated[
    int | None,
    option("--k K", "The smallest number of rows that must look alike. Default: 5.", min=2),
]
Require = Annotated[
    list[str] | None,
    option(
        "--require RULE",
        "A further requirement, for example max_risk=0.09, l_diversity:diagnosis=3 or "
        "t_closeness:salary=0.2:distance=ordered. May be repeated.",
    ),
]
Release = Annotated[
    Location,
    location(
        "--output -o OUT", f"Where to write the release: a .csv or .parquet file, {ADDRESSES}."
    ),
]
Key = Annotated[
    Path | None,
    option(
        "--key FILE",
        "The file of the secret key, for a policy with pseudonyms. lookalike key creates one.",
    ),
]
KeepSolution = Annotated[
    Path | None, option("--solution FILE", "Write the solution to FILE too. It is private.")
]
Keep = Annotated[list[str], option("--keep COLUMNS", "The same as --sensitive.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyOptions:
    """The options that make a policy; roles are only for when there is no policy file."""

    qi: Annotated[
        list[str],
        option(
            "--qi COLUMNS",
            "Quasi-identifiers: columns an outsider could know, for example age,zip,sex. They are "
            "generalized. May be repeated.",
        ),
    ] = field(default_factory=list)
    drop: Annotated[
        list[str],
        option("--drop COLUMNS", "Identifiers: columns that name people. They are removed."),
    ] = field(default_factory=list)
    keep: Keep = field(default_factory=list)
    sensitive: Annotated[
        list[str],
        option(
            "--sensitive COLUMNS",
            "Sensitive columns: nobody should learn them about a person. Kept unchanged.",
        ),
    ] = field(default_factory=list)
    insensitive: Annotated[
        list[str], option("--insensitive COLUMNS", "Harmless columns. Kept unchanged.")
    ] = field(default_factory=list)
    hierarchy: Annotated[
        list[str],
        option(
            "--hierarchy COLUMN=KIND",
            "How values become less precise: age=bands:5,10,20, zip=prefix, born=dates, "
            "job=tree:FILE.csv, size=ordered:s,m,l, sex=flat. Default: guessed and reported.",
        ),
    ] = field(default_factory=list)
    k: K = None
    require: Require = None
    suppress: Annotated[
        str | None,
        option(
            "--suppress SHARE|ROWS",
            "Rows that may be suppressed (left out), at most: 0.02, 2% or 200.",
        ),
    ] = None
    metric: Annotated[
        str | None,
        option(
            "--metric NAME", "The cost to minimize: precision, loss, … or classification:COLUMN."
        ),
    ] = None

    accept: Annotated[
        list[str],
        option(
            "--accept COLUMN=REASON",
            "Release this kept column although it reveals something; the reason is in the "
            "certificate. May be repeated.",
        ),
    ] = field(default_factory=list)

    @property
    def roles(self) -> list[str]:
        """The options given that are only allowed without a policy file."""
        names = ("qi", "drop", "keep", "sensitive", "insensitive", "hierarchy")
        return [f"--{name}" for name in names if getattr(self, name)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """The options of the search; None if not given."""

    by: Annotated[
        str | None, option("--by ALGORITHM", "The algorithm: auto, or a name such as flash.")
    ] = None
    seconds: Seconds = None
    checks: Checks = None
    want: Annotated[
        str | None, option("--want STATUS", "The weakest result to accept: feasible or optimal.")
    ] = None
    seed: Seed = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """How a release is written, and what goes with it."""

    certificate: Annotated[
        Path | None,
        option(
            "--certificate FILE",
            "Write a copy of the certificate to FILE. The certificate is always stored with the "
            "release: next to a file, or in the database.",
        ),
    ] = None
    partition_by: Annotated[
        list[str],
        option(
            "--partition-by COLUMNS",
            "Write OUT as a folder with a subfolder for each value: sex=f/, sex=m/.",
        ),
    ] = field(default_factory=list)  # if given, a folder is written
    files_of: Annotated[
        int | None,
        option(
            "--files-of ROWS",
            "Write OUT as a folder of Parquet files with at most ROWS rows each.",
            min=1,
        ),
    ] = None  # if given, a folder is written
    key: Key = None
    ledger: Annotated[
        Path | None,
        option(
            "--ledger DIR",
            "A private folder that records releases of the same people. A release is refused if, "
            "together with earlier ones, it leaves a person too few lookalikes. Created if "
            "missing.",
        ),
    ] = None
    person: Annotated[
        list[str],
        option(
            "--person COLUMNS",
            "Columns that identify a person in the ledger. Default: the policy's identifiers.",
        ),
    ] = field(default_factory=list)
    force: Force = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseOptions(WriteOptions):
    """The same, and its reports."""

    report: Annotated[
        Path | None,
        option(
            "--report FILE.html",
            "Write a report to read, print and sign. It is private, like the original.",
        ),
    ] = None
    report_public: Annotated[
        Path | None,
        option(
            "--report-public FILE.html",
            "Write a report to share, made only from the release and its certificate.",
        ),
    ] = None
