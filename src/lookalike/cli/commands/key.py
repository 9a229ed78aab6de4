"""``lookalike key``: create a secret key for pseudonyms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from lookalike import api
from lookalike.cli.options import argument
from lookalike.cli.terminal.terminal import Terminal

KeyFile = Annotated[
    Path, argument("FILE", "Where to write the key. An existing file is never replaced.")
]


def key(terminal: Terminal, file: KeyFile) -> None:
    """Create a secret key for pseudonyms. Anyone who has it can recognize people."""

    api.write_key(file)
    terminal.document["key_file"] = file
    terminal.note(f"{file} has a new key that only its owner can read. Use it with --key {file}")
    terminal.note(
        "Store it apart from the releases and keep a backup: losing it breaks all existing joins."
    )
