"""Write a new key, and say how to keep it."""

from __future__ import annotations

from pathlib import Path

from lookalike.cli.terminal.terminal import Terminal
from lookalike.pseudonyms.secret_key import write_key


def make_key(terminal: Terminal, file: Path) -> None:
    write_key(file)
    terminal.document["key_file"] = file
    terminal.note(f"{file} holds a new key, for its owner alone; give it with --key {file}")
    terminal.note(
        "Keep it apart from the releases, and keep a copy: without it, no later release will join."
    )
