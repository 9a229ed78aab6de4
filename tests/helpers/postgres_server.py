"""A real PostgreSQL server for tests, in a folder of its own, started and stopped by them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PASSWORD = "s3cret-of-the-test"


@dataclass(frozen=True)
class Server:
    """A server on loopback with a database ``test``, and who may do what there."""

    port: int

    def address(self, table: str = "", user: str = "steward", **more: str) -> str:
        asked = "&".join(f"{name}={text}" for name, text in ({"table": table} | more).items())
        place = f"postgresql://{user}:{PASSWORD}@127.0.0.1:{self.port}/test"
        return f"{place}?{asked}" if table or more else place


def binaries() -> Path | None:
    """Where the server's programs are, if they are installed."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return installed[-1].parent if installed else None


def _as_somebody(folder: Path) -> list[str]:
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return []
    shutil.chown(folder, "postgres", "postgres")
    return ["runuser", "-u", "postgres", "--"]


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def server() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="lookalike-test-pg-"))
    folder.chmod(0o755)
    programs, data, port = binaries(), folder / "data", _free_port()
    assert programs is not None
    data.mkdir(mode=0o700)
    who = [*_as_somebody(folder)]
    _as_somebody(data)
    secret = folder / "password"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)

    def run(program: str, *asked: str) -> None:
        subprocess.run([*who, programs / program, *asked], check=True, capture_output=True)

    try:
        run("initdb", "-D", str(data), "-U", "steward", "--auth=scram-sha-256", "-E", "UTF8",
            f"--pwfile={secret}", "--no-sync", "--locale=C.UTF-8")  # fmt: skip
        settings = (
            f"-c listen_addresses=127.0.0.1 -p {port} -c unix_socket_directories= -c fsync=off"
        )
        run("pg_ctl", "-D", str(data), "-l", str(data / "log"), "-o", settings, "-w", "start")
        try:
            import psycopg

            found = Server(port)
            home = found.address().replace("/test", "/postgres")
            with psycopg.connect(home, autocommit=True) as opened:
                opened.execute("CREATE DATABASE test")
            yield found
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
