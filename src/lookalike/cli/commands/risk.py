"""``lookalike risk``: who stands out in a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import options
from lookalike.cli.input.table_address import Place, place
from lookalike.cli.terminal.terminal import Terminal

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
    Place | None,
    typer.Option(
        "--after", metavar="RELEASE", parser=place, help="A release of it, to set beside it."
    ),
]
Population = Annotated[
    Place | None,
    typer.Option(
        "--population",
        metavar="TABLE",
        parser=place,
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
    from lookalike.cli.work.risk import Question, measure_risk

    if by and policy is not None:
        raise typer.BadParameter("--by and --policy both name the columns: give one of them")
    if population_count is not None and population is None:
        raise typer.BadParameter("--population-count needs --population")
    if population_size is not None and sampling_fraction is not None:
        raise typer.BadParameter("--population-size and --sampling-fraction: give one of them")
    question = Question(
        population=population,
        population_count=population_count,
        population_size=population_size,
        sampling_fraction=sampling_fraction,
        threshold=threshold,
        combinations=True if max_size is None else max_size,
    )
    measure_risk(terminal, table, by or [], policy, after, question, safe_harbor=safe_harbor)
