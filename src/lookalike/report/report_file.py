"""A report as a file: one HTML page, whole or not at all, for its owner alone."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from lookalike.errors import Fault, FileError
from lookalike.report.facts.public_edition import public_facts
from lookalike.report.facts.report_facts import Facts, internal_facts
from lookalike.report.page import page
from lookalike.report.subject import Edition, Subject
from lookalike.tables.files.atomic_write import written_whole


def write_report(subject: Subject, path: Path, edition: Edition, *, force: bool = False) -> Path:
    """Write the report of a release; an existing file is replaced only with ``force``.

    It is drawn before the file is begun, and like a release it is its owner's alone (mode 0600).
    """
    check_edition(edition)
    with written_whole(path, force, subject.original.path) as temporary:
        temporary.write_text(page(facts_of(subject, edition)), encoding="utf-8", newline="\n")
    return path


def facts_of(subject: Subject, edition: Edition) -> Facts:
    """The public edition is handed the release and its certificate, and nothing else."""
    if edition == "public":
        return public_facts(subject.released, subject.certificate)
    return internal_facts(subject)


def check_edition(edition: str) -> None:
    if edition not in get_args(Edition):
        known = ", ".join(get_args(Edition))
        raise FileError(Fault("edition", "no such edition of a report", f"use one of: {known}"))
