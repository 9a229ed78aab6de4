"""Write a new key, and say how to keep it."""

from __future__ import annotations

from pathlib import Path

from lookalike.cli.talk import Talk
from lookalike.pseudonyms.key import write_key


def make_key(talk: Talk, file: Path) -> None:
    write_key(file)
    talk.document["key_file"] = file
    talk.note(f"{file} holds a new key, for its owner alone; give it with --key {file}")
    talk.note(
        "Keep it apart from the releases, and keep a copy: without it, no later release will join."
    )
