"""A job: work that takes too long for a page and is done by another process (``worker.py``).

A job is a folder with these files:

job.json      the request: what to do
state.json    the progress: queued, running, done, failed, cancelled or interrupted; phase; faults
stop          exists if the search shall end and keep its best result so far
events.jsonl  the events of the search
result.json   what the pages show of the result
"""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lookalike.web.project.private_files import read_json, write_json

State = Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
OVER = ("done", "failed", "cancelled", "interrupted")
KEY_FILE = "LOOKALIKE_STUDIO_KEY"  # environment variables of a worker, set by the operator
LEDGER_FOLDER = "LOOKALIKE_STUDIO_LEDGER"
REQUEST_FILES = {"job.json", "state.json", "policy.toml", "stop"}


@dataclass(frozen=True, slots=True)
class Job:
    """A job by its folder; all its properties are read from the files."""

    folder: Path

    @property
    def exists(self) -> bool:
        return (self.folder / "job.json").is_file()

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def kind(self) -> str:
        return self.name.rpartition("-")[0]

    @property
    def number(self) -> int:
        return int(self.name.rpartition("-")[2])

    @property
    def request(self) -> dict[str, Any]:
        return dict(read_json(self.folder / "job.json") or {})

    @property
    def key(self) -> str | None:
        """The file of the secret key, if the operator of the studio gave one."""
        return os.environ.get(KEY_FILE)

    @property
    def ledger(self) -> str | None:
        """The folder of the ledger, if the operator of the studio gave one."""
        return os.environ.get(LEDGER_FOLDER)

    @property
    def progress(self) -> dict[str, Any]:
        """State, phase and faults."""
        return dict(read_json(self.folder / "state.json") or {"state": "queued"})

    @property
    def state(self) -> State:
        return self.progress["state"]  # type: ignore[no-any-return]

    @property
    def over(self) -> bool:
        return self.state in OVER

    @property
    def result(self) -> dict[str, Any]:
        return dict(read_json(self.folder / "result.json") or {})

    @property
    def stopping(self) -> bool:
        return (self.folder / "stop").exists()

    def set_state(self, state: State, **details: Any) -> None:
        write_json(self.folder / "state.json", {"state": state, "since": time.time(), **details})

    def stop(self) -> None:
        """End the search and continue with its best result so far."""
        (self.folder / "stop").touch(0o600)

    def clear(self) -> None:
        """Remove the results, not the request."""
        for path in self.folder.iterdir():
            if path.name not in REQUEST_FILES:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def events(self) -> list[dict[str, Any]]:
        """The events of the search so far, without a line that is still being written."""
        try:
            text = (self.folder / "events.jsonl").read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        complete = text[: text.rfind("\n") + 1]
        return [json.loads(line) for line in complete.splitlines()]
