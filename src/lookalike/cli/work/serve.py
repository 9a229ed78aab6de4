"""Serve the studio, and say where it is; the link lets in whoever has it."""

from __future__ import annotations

import ipaddress
import webbrowser
from contextlib import suppress
from pathlib import Path

from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import Fault, PolicyError
from lookalike.tables.resource_limits import SIZE, size_of


def serve_studio(
    terminal: Terminal,
    projects: Path,
    data: Path | None,
    port: int,
    host: str,
    users: tuple[str, ...],
    upload: str,
    *,
    browser: bool,
) -> None:
    from lookalike.web.serve import bound_socket, serve
    from lookalike.web.settings import settle

    if not SIZE.fullmatch(upload.strip()):
        fault = Fault("--upload", "not a size", "give a number and a unit, as 2GB or 500MB")
        raise PolicyError(fault)
    listening = bound_socket(host, port)
    settings = settle(projects, listening.getsockname()[1], host, users, data, size_of(upload))
    links = {name: settings.entrance(token) for token, name in settings.users.items()}

    def ready() -> None:
        for line in _lines(links):
            terminal.note(line) if terminal.json else terminal.data(line + "\n")
        terminal.note(f"Projects are kept in {projects}. Ctrl-C ends the server; projects stay.")
        if not _is_loopback(host):
            terminal.note("Others can reach this server, and what it sends is not encrypted.")
        if browser:
            webbrowser.open(next(iter(links.values())))

    with suppress(KeyboardInterrupt):  # the usual way to end it
        serve(settings, listening, ready)
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
