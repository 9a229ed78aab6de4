"""The program as a process of its own, how it ended, and what it left in a folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SRC = Path(__file__).parents[2] / "src"

# A shell's background jobs ignore Ctrl-C, and so would their children: listen to it again.
LISTENING = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from lookalike.cli import program; program()"
)


@dataclass
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        assert found["exit_code"] == self.code
        return found


Program = Callable[..., Ended]


def started(
    folder: Path, *typed: object, on_terminal: int = subprocess.PIPE
) -> subprocess.Popen[str]:
    """A process to which Ctrl-C can be sent."""
    return subprocess.Popen(
        [sys.executable, "-c", LISTENING, *map(str, typed)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SRC), "COLUMNS": "80"},
        stdout=on_terminal,
        stderr=on_terminal,
        text=True,
    )


def listing(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}
