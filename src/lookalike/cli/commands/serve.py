"""``lookalike serve``: the studio, a local web page for the whole job."""

from __future__ import annotations

import ipaddress
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from lookalike import api
from lookalike.cli import options
from lookalike.cli.options import option
from lookalike.cli.terminal.terminal import Terminal

Folder = Annotated[
    Path, option("--projects DIR", "Where projects are stored. The folder is made private.")
]
Data = Annotated[
    Path | None, option("--data DIR", "A folder whose tables can be opened without uploading them.")
]
Port = Annotated[int, option("--port N", "The port; 0: any free port.", min=0, max=65535)]
Host = Annotated[
    str, option("--host HOST", "The address to listen on. Default: only this computer.")
]
User = Annotated[
    list[str] | None, option("--user NAME", "A user with separate projects. May be repeated.")
]
Upload = Annotated[str, option("--upload SIZE", "The largest file that can be uploaded.")]
Ledger = Annotated[
    Path | None,
    option("--ledger DIR", "Compare every candidate with this ledger. Nothing is entered in it."),
]
Browser = Annotated[bool, option("--open", "Open a browser.")]


def serve(
    terminal: Terminal,
    projects: Folder = Path("lookalike-projects"),
    data: Data = None,
    port: Port = 8722,
    host: Host = "127.0.0.1",
    user: User = None,
    upload: Upload = "2GB",
    key: options.Key = None,
    ledger: Ledger = None,
    open: Browser = False,
) -> None:
    """Open the studio: the whole job on a local web page, without code.

    Prints a link to the studio and runs until Ctrl-C.
    """
    from lookalike.errors import Fault, PolicyError
    from lookalike.web.serve import bound_socket
    from lookalike.web.serve import serve as serve_studio
    from lookalike.web.settings import make_settings

    if not api.SIZE_PATTERN.fullmatch(upload.strip()):
        fix = "give a number and a unit, for example 2GB or 500MB"
        raise PolicyError(Fault("--upload", "not a size", fix))
    listener = bound_socket(host, port)
    port, limit = listener.getsockname()[1], api.parse_size(upload)
    settings = make_settings(projects, port, host, user or (), data, limit, key, ledger)
    links = {name: settings.sign_in_link(token) for token, name in settings.users.items()}

    def ready() -> None:
        for line in _lines(links):
            terminal.note(line) if terminal.json else terminal.data(line + "\n")
        terminal.note(f"Projects are stored in {projects}. Ctrl-C stops the server; projects stay.")
        if not _is_loopback(host):
            terminal.note(
                "Other computers can reach this server, and the connection is not encrypted."
            )
        if open:
            webbrowser.open(next(iter(links.values())))

    with suppress(KeyboardInterrupt):  # the usual way to end it
        serve_studio(settings, listener, ready)
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
