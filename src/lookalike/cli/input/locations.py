"""Where a command reads and writes: files, or tables of a database."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import lookalike as la
from lookalike import api
from lookalike.cli.input.output_files import (
    check_folder,
    check_output,
    check_paths,
    check_release_name,
    sidecar_path,
    write_private,
)
from lookalike.cli.input.table_address import (
    Address,
    parse_location,
    without_passwords,
)
from lookalike.cli.options import ReleaseOptions


@dataclass(frozen=True, slots=True)
class Locations(ReleaseOptions):
    """The inputs and outputs of one command. ``check`` them before anything is read."""

    table: Path | Address
    policy: Path | None
    out: Path | Address
    solution: Path | None = None
    save_policy: Path | None = None
    events: Path | None = None
    read: tuple[Path, ...] = ()  # further inputs, which no output may replace

    @property
    def writes_folder(self) -> bool:
        return bool(self.partition_by) or self.files_of is not None

    @property
    def certificate_path(self) -> Path | None:
        """The certificate next to a file; None for a database, which stores it with the table."""
        return sidecar_path(self.out, ".certificate.json") if isinstance(self.out, Path) else None

    @property
    def release_name(self) -> Path | str:
        """The release in reports: its path, or the name of the table."""
        return self.out if isinstance(self.out, Path) else self.out.name

    @property
    def shared_files(self) -> tuple[Path | Address | None, ...]:
        """The files that go with the release; a folder is checked by itself."""
        release = None if self.writes_folder else self.out
        reports = (self.report, self.report_public)
        return (release, self.certificate_path, self.certificate, *reports)

    def check(self) -> None:
        if isinstance(self.out, Path):
            api.repair_beside(self.out)  # or a release of a killed run would be in the way
        if self.writes_folder:
            check_folder(self.out, self.table, force=self.force)
        elif isinstance(self.out, Path):
            check_release_name(self.out)
        for report in (self.report, self.report_public):
            if report is not None:
                api.check_report_name(report)
        private = (self.solution, self.save_policy, self.events)
        inputs = (self.table, self.policy, self.key, *self.read)
        check_paths((*self.shared_files, *private), inputs, force=self.force)
        if isinstance(self.table, Address):
            self.table.check()
        if isinstance(self.out, Address):
            check_output(self.out, self.table, force=self.force)

    def private_path(self, ending: str) -> Path:
        """A file next to the release; for a database, in the current folder."""
        return sidecar_path(self.out if isinstance(self.out, Path) else self.out.file, ending)

    def write_certificate_copy(self, release: la.Release) -> None:
        """Write the copy of the certificate, if wanted."""
        if self.certificate is not None:
            write_private(self.certificate, release.certificate.to_json(), force=self.force)

    def write_reports(self, release: la.Release) -> None:
        """Write the reports, if wanted; the internal one shows the command."""
        command = shlex.join(["lookalike", *map(_without_password, sys.argv[1:])])
        if self.report is not None:
            release.report(self.report, force=self.force, command=command)
        if self.report_public is not None:
            release.report(self.report_public, edition="public", force=self.force)

    def written_files(self) -> list[tuple[Path | str, str]]:
        """The files and tables that were written, and what each of them is."""
        release, copy = "the release", "a copy of the certificate"
        if self.certificate_path is None:
            release, copy = "the release, with its certificate", "the certificate"
        files = (
            (self.release_name, release),
            (self.certificate_path, "the certificate; share it with the release"),
            (self.certificate, copy),
            (self.report, "a report; private: keep it with the original"),
            (self.report_public, "a report to share"),
        )
        return [(path, meaning) for path, meaning in files if path is not None]

    def resume_command(self, policy: Path, solution: Path) -> str:
        """The command that makes the release from a saved solution, without a password."""
        more = [f"--partition-by={name}" for name in self.partition_by]
        more += [f"--files-of={self.files_of}"] if self.files_of is not None else []
        for option, path in (
            ("--certificate", self.certificate),
            ("--report", self.report),
            ("--report-public", self.report_public),
            ("--key", self.key),
            ("--ledger", self.ledger),
        ):
            more += [option, str(path)] if path else []
        more += [f"--person={name}" for name in self.person] + ["--force"] * self.force
        parts = ["lookalike", "release", self.table, policy, solution, "-o", self.out]
        return shlex.join(map(str, (*parts, *more)))

    @property
    def has_password(self) -> bool:
        """Whether ``resume_command`` leaves out a password."""
        return any(isinstance(one, Address) and one.has_password for one in (self.table, self.out))


def _without_password(argument: str) -> str:
    location = parse_location(argument)
    return str(location) if isinstance(location, Address) else without_passwords(argument)
