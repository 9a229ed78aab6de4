"""Report what was recorded in the ledger."""

from __future__ import annotations

from dataclasses import asdict

from lookalike import api
from lookalike.cli.input.locations import Locations
from lookalike.cli.terminal.terminal import Terminal


def report_entry(terminal: Terminal, locations: Locations, entry: api.Entry | None) -> None:
    """Report that a release was recorded, and how many of its people were already in the ledger."""
    if entry is None:
        return
    kept = {key: value for key, value in asdict(entry).items() if key != "seal"}
    terminal.document["ledger"] = {"folder": locations.ledger, **kept}
    terminal.note(f"ledger: {entry.returning_people()}")
