"""Arguments and options that several commands have, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from lookalike.cli.input.table_address import Location, parse_location
from lookalike.cli.parameter import argument, option

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
By = Annotated[
    str | None, option("--by ALGORITHM", "The algorithm: auto, or a name such as flash.")
]
Seconds = Annotated[
    float | None, option("--seconds N", "Time limit of the search (seconds).", min=0.001)
]
Checks = Annotated[int | None, option("--checks N", "Stop after evaluating N recodings.", min=1)]
Want = Annotated[
    str | None, option("--want STATUS", "The weakest result to accept: feasible or optimal.")
]
Seed = Annotated[int | None, option("--seed N", "Seed of randomized algorithms.", min=0)]
Events = Annotated[
    Path | None, option("--events FILE", "Write the events of the search to FILE (JSON lines).")
]
K = Annotated[
    int | None, option("--k K", "The fewest rows that must look alike. Default: 5.", min=2)
]
Require = Annotated[
    list[str] | None,
    option(
        "--require RULE",
        "A further requirement, for example max_risk=0.09, l_diversity:diagnosis=3 or "
        "t_closeness:salary=0.2:distance=ordered. May be repeated.",
    ),
]
Suppress = Annotated[
    str | None,
    option(
        "--suppress SHARE|ROWS", "Rows that may be suppressed (left out), at most: 0.02, 2% or 200."
    ),
]
Metric = Annotated[
    str | None,
    option("--metric NAME", "The cost to minimize: precision, loss, … or classification:COLUMN."),
]
Release = Annotated[
    Location,
    option(
        "--output -o OUT",
        f"Where to write the release: a .csv or .parquet file, {ADDRESSES}.",
        parser=parse_location,
    ),
]
PartitionBy = Annotated[
    list[str] | None,
    option(
        "--partition-by COLUMNS",
        "Write OUT as a folder with a subfolder for each value: sex=f/, sex=m/.",
    ),
]
FilesOf = Annotated[
    int | None,
    option(
        "--files-of ROWS",
        "Write OUT as a folder of Parquet files with at most ROWS rows each.",
        min=1,
    ),
]
Certificate = Annotated[
    Path | None,
    option(
        "--certificate FILE",
        "Write a copy of the certificate to FILE. The certificate is always stored with the "
        "release: next to a file, or in the database.",
    ),
]
Key = Annotated[
    Path | None,
    option(
        "--key FILE",
        "The file of the secret key, for a policy with pseudonyms. lookalike key creates one.",
    ),
]
Ledger = Annotated[
    Path | None,
    option(
        "--ledger DIR",
        "A private folder that records releases of the same people. A release is refused if, "
        "together with earlier ones, it leaves a person too few lookalikes. Created if missing.",
    ),
]
Person = Annotated[
    list[str] | None,
    option(
        "--person COLUMNS",
        "Columns that identify a person in the ledger. Default: the policy's identifiers.",
    ),
]
Report = Annotated[
    Path | None,
    option(
        "--report FILE.html",
        "Write a report to read, print and sign. It is private, as the original is.",
    ),
]
ReportPublic = Annotated[
    Path | None,
    option(
        "--report-public FILE.html",
        "Write a report to share, made only from the release and its certificate.",
    ),
]
KeepSolution = Annotated[
    Path | None, option("--solution FILE", "Write the solution to FILE too. It is private.")
]
