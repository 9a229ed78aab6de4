"""Count who looks alike, and show who does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from lookalike import api
from lookalike.cli.address import Address, open_place
from lookalike.cli.columns import split_columns
from lookalike.cli.show_risk import risk_report
from lookalike.cli.talk import Talk


def measure_risk(talk: Talk, table: Path | Address, by: Sequence[str]) -> None:
    with talk.doing("Counting who looks alike"):
        opened = open_place(table)
        measured = api.measure(opened, split_columns(by, opened.columns))
    talk.document |= {"table": opened.name, **asdict(measured)}
    talk.answer(*risk_report(measured, opened.name))
