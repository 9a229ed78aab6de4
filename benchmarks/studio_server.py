"""A studio that runs in a process of its own, for what measures or pictures it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx


@dataclass(frozen=True, slots=True)
class Server:
    """``link`` lets one in."""

    link: str
    process: int

    @property
    def address(self) -> str:
        return self.link.partition("/?")[0]

    @contextmanager
    def client(self) -> Iterator[httpx.Client]:
        """One who is let in, and whose requests come from the server's own pages."""
        own = {"Origin": self.address}
        with httpx.Client(base_url=self.address, headers=own, timeout=600) as client:
            client.get(self.link).raise_for_status()
            yield client


@contextmanager
def serving(folder: Path, *more: str) -> Iterator[Server]:
    command = [sys.executable, "-m", "lookalike", "serve", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--projects", str(folder / "projects"), *more],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        if not re.fullmatch(r"http://\S+", line):
            raise RuntimeError("the studio did not start")
        yield Server(line, process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def begin(client: httpx.Client, **form: str) -> str:
    """Open a table: the project's id. Its columns are still being looked at."""
    answer = client.post("/projects", data=form)
    if answer.status_code != 303:
        raise RuntimeError(f"the table was not opened ({answer.status_code})")
    return str(answer.headers["location"]).split("/")[2]


def looked(client: httpx.Client, project: str) -> bool:
    return "Reading the table" not in client.get(f"/projects/{project}/columns").text


def decide(client: httpx.Client, project: str, roles: list[str]) -> None:
    said = {f"role_{at}": role for at, role in enumerate(roles)}
    answer = client.post(f"/projects/{project}/columns", data=said)
    if answer.status_code != 303:
        raise RuntimeError(f"the roles were not taken ({answer.status_code})")


def until(done: Callable[[], bool], seconds: float = 600, pause: float = 0.2) -> float:
    """Seconds that it took."""
    began = time.monotonic()
    while not done():
        if time.monotonic() - began > seconds:
            raise TimeoutError(f"not done after {seconds:.0f} s")
        time.sleep(pause)
    return time.monotonic() - began
