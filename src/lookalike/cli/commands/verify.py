"""``lookalike verify``: verify a release independently."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

import lookalike as la
from lookalike import api
from lookalike.cli import options
from lookalike.cli.input.table_address import Address, Location, open_location, parse_location
from lookalike.cli.options import argument, location, option
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import Fault, FileError

Released = Annotated[
    Location,
    argument("RELEASE", f"The released table: a file, {options.ADDRESSES}.", parser=parse_location),
]
CertificatePath = Annotated[
    Path | None,
    option(
        "--certificate FILE",
        "The certificate. Default: RELEASE.certificate.json, or the one in the database.",
    ),
]
Original = Annotated[
    Location | None,
    location("--original TABLE", "The original table, to check everything: a file or an address."),
]
PolicyFile = Annotated[Path | None, option("--policy FILE", "The policy; needed with --original.")]
SolutionFile = Annotated[
    Path | None, option("--solution FILE", "The solution; needed with --original.")
]
SignedBy = Annotated[
    str | None,
    option(
        "--signed-by KEY",
        "Whose signature the certificate must have: the file of an Ed25519 public key, an "
        "allowed_signers file, or the key itself ('ssh-ed25519 AAAA…').",
    ),
]


def verify(
    terminal: Terminal,
    release: Released,
    certificate: CertificatePath = None,
    original: Original = None,
    policy: PolicyFile = None,
    solution: SolutionFile = None,
    key: options.Key = None,
    signed_by: SignedBy = None,
) -> None:
    """Verify a release independently. With the original, the proof is checked too."""
    from lookalike.cli.input.output_files import sidecar_path
    from lookalike.cli.output.solution import verdict_summary

    inside = (original, policy, solution)
    if any(inside) and not all(inside):
        raise typer.BadParameter("--original, --policy and --solution must be given together")
    if isinstance(release, Path):
        api.repair_beside(release)
        default = sidecar_path(release, ".certificate.json")
        if certificate is None and (original is None or signed_by or default.exists()):
            certificate = default
    with terminal.step("Verifying the release"):
        opened = open_location(release)
        stored: Path | la.Certificate | None = certificate
        if isinstance(release, Address) and certificate is None:
            stored = api.stored_certificate(opened, release.text)
            if stored is None and original is None:
                fix = "give it with --certificate, or give --original, --policy and --solution"
                raise FileError(Fault(opened.name, "no certificate is stored with this table", fix))
        verdict = api.verify(
            opened,
            stored,
            original=open_location(original) if original else None,
            policy=api.load_policy(policy) if policy else None,
            solution=api.load_solution(solution) if solution else None,
            key=key,
            signed_by=signed_by,
        )
    terminal.document |= {
        "release": release if isinstance(release, Path) else opened.name,
        "certificate_file": certificate,
        "passed": verdict.passed,
        **asdict(verdict),
    }
    terminal.answer(*verdict_summary(verdict, release.name))
    verdict.expect_passed()
