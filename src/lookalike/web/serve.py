"""Serve the studio until Ctrl-C, SIGTERM or SIGHUP."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from lookalike import api
from lookalike.errors import Fault, FileError
from lookalike.web.app import studio
from lookalike.web.settings import TEMPORARY, Settings


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket that is bound to the address; port 0 takes any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except socket.gaierror:
        listener.close()
        problem = "this is not the name or address of a network interface"
        raise FileError(Fault("--host", problem, "use 127.0.0.1, or leave it out")) from None
    except OSError as error:
        listener.close()
        problem = f"port {port} of {host} cannot be used ({error.strerror})"
        raise FileError(Fault("--port", problem, "use another port, or leave it out")) from None
    return listener


def serve(settings: Settings, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until stopped. All files, temporary ones too, are written below the folder."""
    os.umask(0o077)
    temporary = settings.folder / TEMPORARY
    for leftover in temporary.iterdir():  # of a server that was killed
        shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
    os.environ.pop("PGSERVICE", None)  # it would add the operator's settings to users' addresses
    tempfile.tempdir = str(temporary)
    api.ENGINE_LIMITS.spill = temporary
    config = uvicorn.Config(
        studio(settings), log_level="error", access_log=False, server_header=False,
        timeout_graceful_shutdown=2,
    )  # fmt: skip
    _Server(config, ready).run(sockets=[listener])


class _Server(uvicorn.Server):
    """Calls ``ready`` once it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """SIGHUP ends the server as Ctrl-C and SIGTERM do, unless it is ignored (``nohup``)."""
        before = signal.getsignal(signal.SIGHUP)
        in_main_thread = threading.current_thread() is threading.main_thread()
        handled = in_main_thread and before is not signal.SIG_IGN
        if handled:
            signal.signal(signal.SIGHUP, self.handle_exit)
        try:
            with super().capture_signals():
                yield
        finally:
            if handled:
                signal.signal(signal.SIGHUP, before)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready()
