"""Count who looks alike, and show who does not."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lookalike import api
from lookalike.cli.input.column_list import split_columns
from lookalike.cli.input.table_address import Address, open_place
from lookalike.cli.output import risk as show_risk
from lookalike.cli.terminal.terminal import Terminal
from lookalike.policy.policy_file import load
from lookalike.risks.screening.column_profile import Profile, profiles
from lookalike.risks.screening.quasi_identifier_finder import Proposal, propose
from lookalike.risks.screening.safe_harbor import look
from lookalike.risks.table_risk import Risk
from lookalike.tables.table import Table


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked besides the columns, as typed."""

    population: Path | Address | None
    population_count: str | None
    population_size: int | None
    sampling_fraction: float | None
    threshold: float
    combinations: bool | int

    def measure(self, table: Table, columns: Sequence[str]) -> Risk:
        return api.risk(
            table,
            columns,
            population=None if self.population is None else open_place(self.population),
            population_count=self.population_count,
            population_size=self.population_size,
            sampling_fraction=self.sampling_fraction,
            threshold=self.threshold,
            combinations=self.combinations,
        )


def measure_risk(
    terminal: Terminal,
    table: Path | Address,
    by: Sequence[str],
    policy: Path | None,
    after: Path | Address | None,
    question: Question,
    *,
    safe_harbor: bool,
) -> None:
    opened = open_place(table)
    columns = split_columns(by, opened.columns)
    if policy is not None:
        columns = tuple(load(policy).policy.names)
    seen: tuple[Profile, ...] = ()
    if not columns or safe_harbor:
        with terminal.doing("Looking at the columns"):
            seen = profiles(opened)
    terminal.document["table"] = opened.name
    proposal = None
    if not columns:
        proposal = propose(seen)
        columns = proposal.names
        terminal.document["proposal"] = _facts(proposal)
        command = ["lookalike", "risk", str(table), *_typed(columns or ("COLUMNS",))]
        terminal.answer(*show_risk.proposal(proposal, opened.name, shlex.join(command)))
    if columns:
        _measure(terminal, opened, columns, after, question, decided=proposal is None)
    if safe_harbor:
        found = look(seen, datetime.date.today())
        terminal.document["safe_harbor"] = asdict(found)
        terminal.answer(*show_risk.safe_harbor(found))


def _measure(
    terminal: Terminal,
    table: Table,
    columns: Sequence[str],
    after: Path | Address | None,
    question: Question,
    *,
    decided: bool,
) -> None:
    """What was measured over columns that nobody has decided on is kept apart, and says so."""
    with terminal.doing("Counting who looks alike"):
        measured = question.measure(table, columns)
        beside = None
        if after is not None:
            release = open_place(after)
            beside = release.name, api.risk(release, columns, threshold=question.threshold)
    terminal.document |= asdict(measured) if decided else {"if_known": asdict(measured)}
    if beside is not None:
        terminal.document["after"] = {"table": beside[0], **asdict(beside[1])}
    terminal.answer(*show_risk.risk_report(measured, table.name, beside, decided=decided))


def _typed(columns: Sequence[str]) -> list[str]:
    """As ``--by`` takes them: in one go, but names with a comma each by itself."""
    plain = ",".join(name for name in columns if "," not in name)
    odd = (part for name in columns if "," in name for part in ("--by", name))
    return [*(["--by", plain] if plain else []), *odd]


def _facts(proposal: Proposal) -> dict[str, object]:
    columns = [{**asdict(one), "proposed": one.proposed} for one in proposal.columns]
    return {"decided": False, "by": proposal.names, "columns": columns}
