"""Arguments and options that several commands take, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.input.table_address import Location, parse_location

ADDRESSES = "'postgresql://HOST/DB?table=SCHEMA.NAME' or spark:CATALOG.TABLE"
DUCKDB = "'duckdb:FILE.duckdb?table=NAME'"
Table = Annotated[
    Location,
    typer.Argument(
        metavar="TABLE",
        parser=parse_location,
        help=f"The table: a .csv, .tsv, .txt (also .gz) or .parquet file, {DUCKDB}, {ADDRESSES}.",
    ),
]
PolicyPath = Annotated[
    Path, typer.Argument(metavar="POLICY", help="The policy file, TOML; init drafts one.")
]
Force = Annotated[
    bool, typer.Option("--force", help="Replace files and tables that exist; never the input.")
]
By = Annotated[
    str | None,
    typer.Option("--by", metavar="ALGORITHM", help="auto, or the algorithm's name (flash …)."),
]
Seconds = Annotated[
    float | None,
    typer.Option(
        "--seconds", metavar="N", min=0.001, help="Stop the search after so many seconds."
    ),
]
Checks = Annotated[
    int | None,
    typer.Option("--checks", metavar="N", min=1, help="Stop the search after so many recodings."),
]
Want = Annotated[
    str | None,
    typer.Option(
        "--want", metavar="STATUS", help="The weakest result to accept: feasible or optimal."
    ),
]
Seed = Annotated[
    int | None, typer.Option("--seed", metavar="N", min=0, help="For algorithms that draw lots.")
]
Events = Annotated[
    Path | None,
    typer.Option("--events", metavar="FILE", help="Write the search's events here, JSON lines."),
]
K = Annotated[
    int | None,
    typer.Option("--k", metavar="K", min=2, help="How many rows must look alike (5 if not said)."),
]
Require = Annotated[
    list[str] | None,
    typer.Option(
        "--require",
        metavar="RULE",
        help="What else is required, as max_risk=0.09, l_diversity:diagnosis=3 or "
        "t_closeness:salary=0.2:distance=ordered. May be repeated.",
    ),
]
Suppress = Annotated[
    str | None,
    typer.Option(
        "--suppress", metavar="SHARE|ROWS", help="Rows that may be left out: 0.02, 2% or 200."
    ),
]
Metric = Annotated[
    str | None,
    typer.Option(
        "--metric",
        metavar="NAME",
        help="What to keep small: precision, loss, … or classification:COLUMN.",
    ),
]
Release = Annotated[
    Location,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        parser=parse_location,
        help=f"The release: a .csv or .parquet file, {ADDRESSES}.",
    ),
]
PartitionBy = Annotated[
    list[str] | None,
    typer.Option(
        "--partition-by",
        metavar="COLUMNS",
        help="Write a folder, OUT, with a folder in it for each value: sex=f/, sex=m/.",
    ),
]
FilesOf = Annotated[
    int | None,
    typer.Option(
        "--files-of",
        metavar="ROWS",
        min=1,
        help="Write a folder, OUT, of Parquet files with so many rows each.",
    ),
]
Certificate = Annotated[
    Path | None,
    typer.Option(
        "--certificate",
        metavar="FILE",
        help="Write a copy of the certificate here, to share; it goes with the release anyway: "
        "beside a file, within a database.",
    ),
]
Key = Annotated[
    Path | None,
    typer.Option(
        "--key",
        metavar="FILE",
        help="The file of the secret key, for a policy with pseudonyms; lookalike key makes one.",
    ),
]
Ledger = Annotated[
    Path | None,
    typer.Option(
        "--ledger",
        metavar="DIR",
        help="A private folder that remembers releases of the same people: refuse a release that "
        "together with earlier ones leaves anybody too few candidates. Made if it is not there.",
    ),
]
Person = Annotated[
    list[str] | None,
    typer.Option(
        "--person",
        metavar="COLUMNS",
        help="Columns that tell people apart in the ledger; if not said, the policy's identifiers.",
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE.html",
        help="Write a report to read, print and sign; it is private: it belongs with the original.",
    ),
]
ReportPublic = Annotated[
    Path | None,
    typer.Option(
        "--report-public",
        metavar="FILE.html",
        help="Write a report to share, made from the release and its certificate alone.",
    ),
]
KeepSolution = Annotated[
    Path | None,
    typer.Option("--solution", metavar="FILE", help="Keep the solution here too; it is private."),
]
