"""Write a report as a private HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from lookalike.errors import Fault, FileError
from lookalike.report.facts.public_edition import public_facts
from lookalike.report.facts.report_facts import Facts, internal_facts
from lookalike.report.page import page
from lookalike.report.report_name import check_report_name
from lookalike.report.subject import Edition, Subject
from lookalike.tables.files.atomic_write import atomic_write


def write_report(subject: Subject, path: Path, edition: Edition, *, force: bool = False) -> Path:
    """Write the report of a release; an existing file is replaced only with ``force``.

    The file is readable only by its owner (mode 0600), and it is written as a whole or not at all.
    """
    check_report_name(path)
    if edition not in get_args(Edition):
        fix = f"use one of: {', '.join(get_args(Edition))}"
        raise FileError(Fault("edition", "a report has no such edition", fix))
    with atomic_write(path, force, subject.original.path) as temporary:
        temporary.write_text(page(facts_of(subject, edition)), encoding="utf-8", newline="\n")
    return path


def facts_of(subject: Subject, edition: Edition) -> Facts:
    """The facts of an edition; the public one gets only the release and its certificate."""
    if edition == "public":
        return public_facts(subject.released, subject.certificate)
    return internal_facts(subject)
