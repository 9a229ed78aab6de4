"""``lookalike risk``: who stands out in a table."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli import options
from lookalike.cli.input.table_address import Location, open_location, parse_location
from lookalike.cli.terminal.terminal import Terminal

if TYPE_CHECKING:
    from lookalike.risks.screening.quasi_identifier_finder import Proposal

Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="COLUMNS",
        help="Columns an outsider could know: age,zip,sex. May be repeated. If not said, they are "
        "proposed.",
    ),
]
PolicyFile = Annotated[
    Path | None,
    typer.Option("--policy", metavar="FILE", help="Take the quasi-identifiers of a policy file."),
]
After = Annotated[
    Location | None,
    typer.Option(
        "--after",
        metavar="RELEASE",
        parser=parse_location,
        help="A release of it, to set beside it.",
    ),
]
Population = Annotated[
    Location | None,
    typer.Option(
        "--population",
        metavar="TABLE",
        parser=parse_location,
        help="The people it was drawn from: a table with the same columns.",
    ),
]
PopulationCount = Annotated[
    str | None,
    typer.Option(
        "--population-count",
        metavar="COLUMN",
        help="The column of that table which says for how many people a row stands.",
    ),
]
PopulationSize = Annotated[
    int | None,
    typer.Option(
        "--population-size",
        metavar="N",
        min=1,
        help="How many people it was drawn from: estimates who is one of a kind among them.",
    ),
]
SamplingFraction = Annotated[
    float | None,
    typer.Option(
        "--sampling-fraction", metavar="SHARE", help="The same as a share of them: 0.1 is a tenth."
    ),
]
Threshold = Annotated[
    float, typer.Option("--threshold", metavar="RISK", help="The risk that is too high (0.09).")
]
MaxSize = Annotated[
    int | None,
    typer.Option(
        "--max-size",
        metavar="N",
        min=0,
        help="Look at sets of up to so many columns (4, fewer if that would take long); 0: none.",
    ),
]
SafeHarbor = Annotated[
    bool,
    typer.Option(
        "--safe-harbor", help="Look for the eighteen identifiers of HIPAA Safe Harbor too."
    ),
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
    from lookalike import api
    from lookalike.cli.input.column_list import split_columns
    from lookalike.cli.output import risk as show_risk
    from lookalike.policy.policy_file import load
    from lookalike.risks.screening.column_profile import Profile, profiles
    from lookalike.risks.screening.quasi_identifier_finder import propose
    from lookalike.risks.screening.safe_harbor import look

    if by and policy is not None:
        raise typer.BadParameter("--by and --policy both name the columns: give one of them")
    if population_count is not None and population is None:
        raise typer.BadParameter("--population-count needs --population")
    if population_size is not None and sampling_fraction is not None:
        raise typer.BadParameter("--population-size and --sampling-fraction: give one of them")
    opened = open_location(table)
    columns = split_columns(by or (), opened.columns)
    if policy is not None:
        columns = tuple(load(policy).policy.names)
    seen: tuple[Profile, ...] = ()
    if not columns or safe_harbor:
        with terminal.step("Looking at the columns"):
            seen = profiles(opened)
    terminal.document["table"] = opened.name
    decided = bool(columns)
    if not decided:
        proposal = propose(seen)
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
        # what was measured over columns that nobody has decided on is kept apart
        terminal.document |= asdict(measured) if decided else {"if_known": asdict(measured)}
        if release is not None:
            terminal.document["after"] = {"table": release[0], **asdict(release[1])}
        terminal.answer(*show_risk.risk_report(measured, opened.name, release, decided=decided))
    if safe_harbor:
        harbor = look(seen, datetime.date.today())
        terminal.document["safe_harbor"] = asdict(harbor)
        terminal.answer(*show_risk.safe_harbor(harbor))


def _by_flags(columns: Sequence[str]) -> list[str]:
    """As ``--by`` takes them: in one go, but names with a comma each by itself."""
    plain = ",".join(name for name in columns if "," not in name)
    odd = (part for name in columns if "," in name for part in ("--by", name))
    return [*(["--by", plain] if plain else []), *odd]


def _facts(proposal: Proposal) -> dict[str, object]:
    columns = [{**asdict(column), "proposed": column.proposed} for column in proposal.columns]
    return {"decided": False, "by": proposal.names, "columns": columns}
