"""``lookalike serve``: the whole job on a web page of this computer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.terminal.terminal import Terminal

Folder = Annotated[
    Path,
    typer.Option(
        "--projects", metavar="DIR", help="Where projects are kept; made private, if need be."
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(
        "--data", metavar="DIR", help="A folder whose tables can be opened without sending them."
    ),
]
Port = Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="0: any free.")]
Host = Annotated[
    str, typer.Option("--host", metavar="HOST", help="Where to listen; this computer alone.")
]
User = Annotated[
    list[str] | None,
    typer.Option("--user", metavar="NAME", help="One who has projects apart. May be repeated."),
]
Upload = Annotated[
    str, typer.Option("--upload", metavar="SIZE", help="The largest file that can be sent.")
]
Browser = Annotated[bool, typer.Option("--open", help="Open a browser, too.")]


def serve(
    terminal: Terminal,
    projects: Folder = Path("lookalike-projects"),
    data: Data = None,
    port: Port = 8722,
    host: Host = "127.0.0.1",
    user: User = None,
    upload: Upload = "2GB",
    open: Browser = False,
) -> None:
    """Open the studio: the whole job on a local web page. No code to write.

    It prints a link that lets you in, and runs until Ctrl-C.
    """
    from lookalike.cli.work.serve import serve_studio

    serve_studio(terminal, projects, data, port, host, tuple(user or ()), upload, browser=open)
