"""Read a tree from a CSV file, leaf first and top last, the format that ARX writes."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from lookalike.errors import Fault, PolicyError

DELIMITERS = (";", "\t", "|", ",")  # comma last: labels themselves often contain it

Rows = tuple[tuple[str, ...], ...]


def read_rows(path: Path, shown: str) -> Rows:
    """The rows of the file; ``shown`` is the path as the user gave it.

    The file is UTF-8, with or without a byte order mark, and has no header; fields may be quoted.
    """
    try:
        content = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise _refusal(
            f"the file {shown} does not exist",
            "check the path; in a policy file, paths are relative to that file",
        ) from None
    except OSError as error:
        raise _refusal(
            f"{shown} cannot be read ({error.strerror})", "name a readable CSV file"
        ) from None
    except UnicodeDecodeError as error:
        raise _refusal(
            f"{shown} is not UTF-8 (byte {error.start})", "save the file as UTF-8"
        ) from None
    return parse_rows(content, shown)


def parse_rows(content: str, shown: str) -> Rows:
    """Split by the first delimiter that gives every row the same number of fields, two or more.

    If there is none, split by the one that splits most rows; the checks of the tree then report the
    uneven rows.
    """
    best: Rows | None = None
    for delimiter in DELIMITERS:
        try:
            reader = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
            rows = tuple(tuple(row) for row in reader)
        except csv.Error:
            continue
        widths = {len(row) for row in rows if row}
        if len(widths) == 1 and widths != {1}:
            return rows
        if best is None or _split(rows) > _split(best):
            best = rows
    if best is None:
        raise _refusal(
            f"{shown} is not CSV: a quote is not closed",
            "quote whole fields, and double the quotes inside",
        )
    return best


def _split(rows: Rows) -> int:
    return sum(len(row) > 1 for row in rows)


def _refusal(problem: str, fix: str) -> PolicyError:
    return PolicyError(Fault("tree", problem, fix))
