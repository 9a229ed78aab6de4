"""``lookalike serve``: the whole job on a web page of this computer."""

from __future__ import annotations

import ipaddress
import webbrowser
from contextlib import suppress
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
    from lookalike.errors import Fault, PolicyError
    from lookalike.tables.resource_limits import SIZE, size_of
    from lookalike.web.serve import bound_socket
    from lookalike.web.serve import serve as serve_studio
    from lookalike.web.settings import settle

    if not SIZE.fullmatch(upload.strip()):
        fault = Fault("--upload", "not a size", "give a number and a unit, as 2GB or 500MB")
        raise PolicyError(fault)
    listening = bound_socket(host, port)
    users = tuple(user or ())
    settings = settle(projects, listening.getsockname()[1], host, users, data, size_of(upload))
    links = {name: settings.entrance(token) for token, name in settings.users.items()}

    def ready() -> None:
        for line in _lines(links):
            terminal.note(line) if terminal.json else terminal.data(line + "\n")
        terminal.note(f"Projects are kept in {projects}. Ctrl-C ends the server; projects stay.")
        if not _is_loopback(host):
            terminal.note("Others can reach this server, and what it sends is not encrypted.")
        if open:
            webbrowser.open(next(iter(links.values())))

    with suppress(KeyboardInterrupt):  # the usual way to end it
        serve_studio(settings, listening, ready)
    terminal.document |= {"address": settings.address, "users": sorted(links)}


def _lines(links: dict[str, str]) -> list[str]:
    if len(links) == 1:
        return list(links.values())
    return [f"{name}: {link}" for name, link in links.items()]


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
