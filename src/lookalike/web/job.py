"""A job: something that takes longer than a page may, done by another process (``worker.py``).

job.json      what to do
state.json    queued, running, done, failed, cancelled or interrupted; the phase; the faults
stop          is there if the search is to end and keep the best so far
events.jsonl  what the search says
result.json   what the pages show of the outcome
"""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lookalike.web.private_files import read_json, touch_private, write_json

State = Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
OVER = ("done", "failed", "cancelled", "interrupted")
KEY_FILE = "LOOKALIKE_STUDIO_KEY"  # environment variables of a worker, set by the operator
LEDGER_FOLDER = "LOOKALIKE_STUDIO_LEDGER"
KEPT = {"job.json", "state.json", "policy.toml", "stop"}


@dataclass(frozen=True, slots=True)
class Job:
    """One folder."""

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
    def asked(self) -> dict[str, Any]:
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
    def told(self) -> dict[str, Any]:
        """State, phase and faults."""
        return dict(read_json(self.folder / "state.json") or {"state": "queued"})

    @property
    def state(self) -> State:
        return self.told["state"]  # type: ignore[no-any-return]

    @property
    def over(self) -> bool:
        return self.state in OVER

    @property
    def result(self) -> dict[str, Any]:
        return dict(read_json(self.folder / "result.json") or {})

    @property
    def stopping(self) -> bool:
        return (self.folder / "stop").exists()

    def set_state(self, state: State, **more: Any) -> None:
        told = {"state": state, "since": time.time(), **more}
        write_json(self.folder / "state.json", told)

    def stop(self) -> None:
        """End the search and go on with the best so far."""
        touch_private(self.folder / "stop")

    def clear(self) -> None:
        """Forget what was done, not what was asked."""
        for one in self.folder.iterdir():
            if one.name not in KEPT:
                shutil.rmtree(one) if one.is_dir() else one.unlink()

    def events(self) -> list[dict[str, Any]]:
        """What the search has said so far; a line that is being written is left for later."""
        try:
            text = (self.folder / "events.jsonl").read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        whole = text[: text.rfind("\n") + 1]
        return [json.loads(line) for line in whole.splitlines()]
