"""Serve the studio until Ctrl-C."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Callable

import uvicorn

from lookalike.errors import Fault, FileError
from lookalike.tables.resource_limits import LIMITS
from lookalike.web.app import studio
from lookalike.web.settings import TEMPORARY, Settings


def bound_socket(host: str, port: int) -> socket.socket:
    """A place to listen, taken before anybody is told of it; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        problem = f"port {port} of {host} cannot be had ({error.strerror})"
        raise FileError(Fault("--port", problem, "use another, or leave it out")) from None
    return listening


def serve(settings: Settings, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Until it is told to end. Nothing is written outside the folder, temporary files included."""
    os.umask(0o077)
    temporary = settings.folder / TEMPORARY
    for left in temporary.iterdir():  # by a server that was cut short
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    tempfile.tempdir = str(temporary)
    LIMITS.spill = temporary
    config = uvicorn.Config(
        studio(settings), log_level="error", access_log=False, server_header=False,
        timeout_graceful_shutdown=2,
    )  # fmt: skip
    server = _Told(config, ready)
    server.run(sockets=[listening])


class _Told(uvicorn.Server):
    """Says when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready()
