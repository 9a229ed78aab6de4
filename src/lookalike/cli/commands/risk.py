"""``lookalike risk``: measure who stands out in a table."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from lookalike import api
from lookalike.cli import options
from lookalike.cli.input.table_address import Location, open_location
from lookalike.cli.options import location, option
from lookalike.cli.terminal.terminal import Terminal

Columns = Annotated[
    list[str] | None,
    option(
        "--by COLUMNS",
        "The quasi-identifiers: columns an outsider could know, for example age,zip,sex. May "
        "be repeated. Without it, columns are proposed.",
    ),
]
PolicyFile = Annotated[
    Path | None, option("--policy FILE", "Use the quasi-identifiers of a policy file.")
]
After = Annotated[
    Location | None,
    location("--after RELEASE", "A release of the table, for comparison."),
]
Population = Annotated[
    Location | None,
    location(
        "--population TABLE",
        "The population that the table is a sample of: a table with the same columns.",
    ),
]
PopulationCount = Annotated[
    str | None,
    option(
        "--population-count COLUMN", "A column of the population: how many people a row stands for."
    ),
]
PopulationSize = Annotated[
    int | None,
    option(
        "--population-size N",
        "The number of people in the population; estimates how many are unique in it.",
        min=1,
    ),
]
SamplingFraction = Annotated[
    float | None,
    option(
        "--sampling-fraction SHARE",
        "The share of the population in the table, instead of its size: 0.1 is a tenth.",
    ),
]
Threshold = Annotated[float, option("--threshold RISK", "Risks above this are too high.")]
MaxSize = Annotated[
    int | None,
    option(
        "--max-size N",
        "Look at sets of up to N columns. Default: 4, fewer if that would take long; 0: none.",
        min=0,
    ),
]
SafeHarbor = Annotated[
    bool, option("--safe-harbor", "Also look for the eighteen identifiers of HIPAA Safe Harbor.")
]


def risk(
    terminal: Terminal,
    table: options.Table,
    by: Columns = None,
    policy: PolicyFile = None,
    after: After = None,
    population: Population = None,
    population_count: PopulationCount = None,
    population_size: PopulationSize = None,
    sampling_fraction: SamplingFraction = None,
    threshold: Threshold = 0.09,
    max_size: MaxSize = None,
    safe_harbor: SafeHarbor = False,
) -> None:
    """Measure who stands out in a table. Changes nothing."""
    from lookalike.cli.input.column_list import split_columns
    from lookalike.cli.output import risk as show_risk

    if by and policy is not None:
        raise typer.BadParameter("--by and --policy both name the columns: give only one")
    if population_count is not None and population is None:
        raise typer.BadParameter("--population-count needs --population")
    if population_size is not None and sampling_fraction is not None:
        raise typer.BadParameter("--population-size and --sampling-fraction: give only one")
    opened = open_location(table)
    columns = split_columns(by or (), opened.columns)
    if policy is not None:
        columns = tuple(api.load_policy(policy).names)
    seen: tuple[api.Profile, ...] = ()
    if not columns or safe_harbor:
        with terminal.step("Looking at the columns"):
            seen = api.profile_columns(opened)
    terminal.document["table"] = opened.name
    decided = bool(columns)
    if not decided:
        proposal = api.propose_quasi_identifiers(seen)
        columns = proposal.names
        terminal.document["proposal"] = _facts(proposal)
        command = ["lookalike", "risk", str(table), *_by_flags(columns or ("COLUMNS",))]
        terminal.answer(*show_risk.proposal(proposal, opened.name, shlex.join(command)))
    if columns:
        with terminal.step("Counting who looks alike"):
            measured = api.risk(
                opened,
                columns,
                population=open_location(population) if population else None,
                population_count=population_count,
                population_size=population_size,
                sampling_fraction=sampling_fraction,
                threshold=threshold,
                combinations=True if max_size is None else max_size,
            )
            release = None
            if after is not None:
                released = open_location(after)
                release = released.name, api.risk(released, columns, threshold=threshold)
        # what was measured over columns that were only proposed has its own key
        terminal.document |= asdict(measured) if decided else {"if_known": asdict(measured)}
        if release is not None:
            terminal.document["after"] = {"table": release[0], **asdict(release[1])}
        terminal.answer(*show_risk.risk_report(measured, opened.name, release, decided=decided))
    if safe_harbor:
        harbor = api.find_safe_harbor_identifiers(seen, datetime.date.today())
        terminal.document["safe_harbor"] = asdict(harbor)
        terminal.answer(*show_risk.safe_harbor(harbor))


def _by_flags(columns: Sequence[str]) -> list[str]:
    """As ``--by`` takes them: in one go, but names with a comma each by itself."""
    plain = ",".join(name for name in columns if "," not in name)
    odd = (part for name in columns if "," in name for part in ("--by", name))
    return [*(["--by", plain] if plain else []), *odd]


def _facts(proposal: api.Proposal) -> dict[str, object]:
    columns = [{**asdict(column), "proposed": column.proposed} for column in proposal.columns]
    return {"decided": False, "by": proposal.names, "columns": columns}
