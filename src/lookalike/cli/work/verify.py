"""Count the release afresh, and say what holds."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from lookalike import api
from lookalike.cli.files import beside
from lookalike.cli.show_solution import verdict_summary
from lookalike.cli.talk import Talk
from lookalike.policy.file import load
from lookalike.solution import file as solution_file


def verify_table(
    talk: Talk,
    release: Path,
    certificate: Path | None,
    inside: tuple[Path | None, Path | None, Path | None],
) -> None:
    original, policy, solution = inside
    default = beside(release, ".certificate.json")
    if certificate is None and (original is None or default.exists()):
        certificate = default
    with talk.doing("Counting the release afresh"):
        verdict = api.verify(
            release,
            certificate,
            original=original,
            policy=load(policy).policy if policy else None,
            solution=solution_file.load(solution) if solution else None,
        )
    talk.document |= {
        "release": release,
        "certificate_file": certificate,
        "passed": verdict.passed,
        "findings": [asdict(finding) for finding in verdict.findings],
        "not_checked": verdict.not_checked,
    }
    talk.answer(*verdict_summary(verdict, release.name))
    verdict.expect_passed()
