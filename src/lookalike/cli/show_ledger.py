"""What a ledger has entered, to read."""

from __future__ import annotations

from dataclasses import asdict

from lookalike.cli.places import Places
from lookalike.cli.talk import Talk
from lookalike.releasing.ledger import Entry


def entered(talk: Talk, places: Places, entry: Entry | None) -> None:
    """Say that a release was entered, and how many of its people were known."""
    if entry is None:
        return
    kept = {key: value for key, value in asdict(entry).items() if key != "seal"}
    talk.document["ledger"] = {"folder": places.ledger, **kept}
    talk.note(f"ledger: {entry.met_again()}")
