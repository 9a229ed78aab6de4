"""Count the release afresh, and say what holds."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from lookalike import api
from lookalike.cli.input.output_files import beside
from lookalike.cli.input.table_address import Address, open_place
from lookalike.cli.output.solution import verdict_summary
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import Fault, FileError
from lookalike.policy.policy_file import load
from lookalike.solution import solution_file
from lookalike.tables.remote_tables import note_of
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import Certificate


def verify_table(
    terminal: Terminal,
    release: Path | Address,
    certificate: Path | None,
    inside: tuple[Path | Address | None, Path | None, Path | None],
    key: Path | None = None,
) -> None:
    original, policy, solution = inside
    if isinstance(release, Path):
        default = beside(release, ".certificate.json")
        if certificate is None and (original is None or default.exists()):
            certificate = default
    with terminal.doing("Counting the release afresh"):
        opened = open_place(release)
        stored = None
        if isinstance(release, Address) and certificate is None:
            stored = _stored(opened, wanted=original is None)
        verdict = api.verify(
            opened,
            certificate or stored,
            original=open_place(original) if original else None,
            policy=load(policy).policy if policy else None,
            solution=solution_file.load(solution) if solution else None,
            key=key,
        )
    terminal.document |= {
        "release": release if isinstance(release, Path) else opened.name,
        "certificate_file": certificate,
        "passed": verdict.passed,
        "findings": [asdict(finding) for finding in verdict.findings],
        "not_checked": verdict.not_checked,
    }
    terminal.answer(*verdict_summary(verdict, release.name))
    verdict.expect_passed()


def _stored(table: Table, *, wanted: bool) -> Certificate | None:
    """The certificate that goes with a table of a database."""
    noted = Certificate.in_note(note_of(table), table.name)
    if noted is None and wanted:
        fix = "name its certificate with --certificate, or give --original, --policy and --solution"
        raise FileError(Fault(table.name, "no certificate is stored with this table", fix))
    return noted
