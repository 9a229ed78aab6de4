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
    from lookalike.cli.work.key import make_key

    make_key(terminal, file)
