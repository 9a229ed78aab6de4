"""Where a command reads and writes: files, or tables of a database."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from lookalike.cli.address import Address
from lookalike.cli.files import beside, check_places, check_release_name, write_private
from lookalike.cli.standing import check_output
from lookalike.releasing.release import Release


@dataclass(frozen=True, slots=True)
class Places:
    """The places of one run. Nothing is read or searched before ``check`` has looked at them."""

    table: Path | Address
    policy: Path | None
    out: Path | Address
    solution: Path | None = None
    save_policy: Path | None = None
    events: Path | None = None
    force: bool = False
    copy: Path | None = None  # of the certificate

    @property
    def certificate(self) -> Path | None:
        """Beside a file; that of a table goes with it, and is in no file."""
        return beside(self.out, ".certificate.json") if isinstance(self.out, Path) else None

    @property
    def called(self) -> Path | str:
        """What the release is called in answers."""
        return self.out if isinstance(self.out, Path) else self.out.name

    def check(self) -> None:
        if isinstance(self.out, Path):
            check_release_name(self.out)
        outputs = (self.out, self.certificate, self.copy)
        private = (self.solution, self.save_policy, self.events)
        check_places((*outputs, *private), (self.table, self.policy), force=self.force)
        if isinstance(self.table, Address):
            self.table.check()
        if isinstance(self.out, Address):
            check_output(self.out, self.table, force=self.force)

    def private(self, ending: str) -> Path:
        """Where something is kept that was given no place: beside the release, or here."""
        return beside(self.out if isinstance(self.out, Path) else self.out.file, ending)

    def write_copy(self, release: Release) -> None:
        """The certificate once more, if asked for."""
        if self.copy is not None:
            write_private(self.copy, release.certificate.to_json(), force=self.force)

    def written(self) -> list[tuple[Path | str, str]]:
        """What there is to share, and what each is."""
        if self.certificate is None:
            found = [(self.called, "the release, its certificate with it")]
            return [*found, *([(self.copy, "its certificate; share both")] if self.copy else [])]
        found = [(self.called, "the release"), (self.certificate, "its certificate; share both")]
        return [*found, *([(self.copy, "a copy of the certificate")] if self.copy else [])]

    def finish(self, policy: Path, solution: Path) -> str:
        """The command that makes the release from a solution kept in a file; no password in it."""
        more = ["--certificate", self.copy] if self.copy else []
        force = ["--force"] if self.force else []
        parts = ["lookalike", "release", self.table, policy, solution, "-o", self.out]
        return shlex.join(map(str, (*parts, *more, *force)))

    @property
    def secret(self) -> bool:
        """Does ``finish`` leave out a password?"""
        return any(isinstance(one, Address) and one.secret for one in (self.table, self.out))
