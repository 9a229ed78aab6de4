"""What the tests of the studio share: a real server in a process of its own, a browser if any."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from effort import without

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = without("there is no Chromium here to drive", CHROMIUM is None)


@dataclass
class Server:
    """One that runs; ``links`` let users in."""

    links: dict[str, str]
    folder: Path
    process: subprocess.Popen[str]

    @property
    def address(self) -> str:
        return self.link.partition("/?")[0]

    @property
    def link(self) -> str:
        return next(iter(self.links.values()))

    @contextmanager
    def client(self, user: str | None = None) -> Iterator[httpx.Client]:
        """One who is let in, and whose requests come from the server's own pages."""
        link = self.links[user] if user else self.link
        own = {"Origin": self.address}
        with httpx.Client(base_url=self.address, headers=own, timeout=600) as client:
            assert client.get(link).status_code == 200
            yield client


@contextmanager
def serving(folder: Path, *more: str) -> Iterator[Server]:
    command = [sys.executable, "-m", "lookalike", "serve", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--projects", str(folder / "projects"), *more],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder,
        env=os.environ | {"COVERAGE_PROCESS_START": ""},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        wanted = max(1, more.count("--user"))
        links = {}
        for line in [process.stdout.readline() for _ in range(wanted)]:
            found = re.fullmatch(r"(?:(\S+): )?(http://\S+)", line.strip())
            assert found, line
            links[found[1] or "me"] = found[2]
        yield Server(links, folder / "projects", process)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
