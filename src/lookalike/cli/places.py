"""Where a command reads and writes."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from lookalike.cli.files import beside, check_places, check_release_name


@dataclass(frozen=True, slots=True)
class Places:
    """The files of one run. Nothing is read or searched before ``check`` has looked at them."""

    table: Path
    policy: Path | None
    out: Path
    solution: Path | None = None
    save_policy: Path | None = None
    events: Path | None = None
    force: bool = False

    @property
    def certificate(self) -> Path:
        return beside(self.out, ".certificate.json")

    def check(self) -> None:
        check_release_name(self.out)
        outputs = (self.out, self.certificate, self.solution, self.save_policy, self.events)
        check_places(outputs, (self.table, self.policy), force=self.force)

    def finish(self, policy: Path, solution: Path) -> str:
        """The command that makes the release from a solution kept in a file."""
        force = ["--force"] if self.force else []
        parts = ["lookalike", "release", self.table, policy, solution, "-o", self.out, *force]
        return shlex.join(map(str, parts))
