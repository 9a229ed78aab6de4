"""``lookalike key``: a secret key, for pseudonyms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.talk import Talk

KeyFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="Where to write it; never over a file that exists.")
]


def key(talk: Talk, file: KeyFile) -> None:
    """Make a secret key for pseudonyms. Who has it can tell who is who."""
    from lookalike.cli.work.key import make_key

    make_key(talk, file)
