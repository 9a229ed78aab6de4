"""``lookalike key``: a secret key, for pseudonyms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.terminal.terminal import Terminal

KeyFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="Where to write it; never over a file that exists.")
]


def key(terminal: Terminal, file: KeyFile) -> None:
    """Make a secret key for pseudonyms. Who has it can tell who is who."""
    from lookalike.pseudonyms.secret_key import write_key

    write_key(file)
    terminal.document["key_file"] = file
    terminal.note(f"{file} holds a new key, for its owner alone; give it with --key {file}")
    terminal.note(
        "Keep it apart from the releases, and keep a copy: without it, no later release will join."
    )
