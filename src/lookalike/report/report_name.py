"""The name of a report's file: its extension must be that of a web page."""

from __future__ import annotations

from pathlib import Path

from lookalike.errors import Fault, FileError

SUFFIXES = (".html", ".htm")


def check_report_name(path: Path) -> None:
    """FileError unless the name is that of a web page."""
    if path.suffix.lower() not in SUFFIXES:
        fix = "use a name that ends in .html; a browser can print the report to a PDF file"
        raise FileError(Fault(path.name or str(path), "unrecognized file extension", fix))
