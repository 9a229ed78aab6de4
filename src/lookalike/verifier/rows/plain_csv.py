"""Is a released CSV file plain: UTF-8, with commas, one line for each row and nothing else?

Programs read other files in different ways. A comma too many at the end of each line shifts all
columns in one program and is ignored by another, as are blank lines or a first line ``sep=,``. What
was certified are rows, so a file of them must have one meaning.

All lines end alike, by a line feed or in the way of Windows, and a carriage return is nowhere else.
Line ends and commas outside quotes are counted: a file whose rows were read without a fault has
more of them than its rows need only if it holds something else. The first line, read with commas,
must have the names of the columns: a file with semicolons can have as many commas.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookalike.tables.table import Table
from lookalike.verifier.finding import Finding

CHUNK_BYTES = 1 << 22
PLAIN = "The file is plain CSV: UTF-8, commas, and one line for each row."
NOT_PLAIN = "The file is not plain CSV ({reason}), so programs may read different tables from it."
FIX = "ask the data holder for the file as it was written"


def check_form(table: Table) -> tuple[Finding, ...]:
    """The finding about the form of a table's file, if it was read from a text file."""
    if table.kind != "csv" or table.path is None:
        return ()
    return (check_plain_csv(table.path, table.rows(), table.columns),)


def check_plain_csv(path: Path, rows: int, names: Sequence[str]) -> Finding:
    """The finding about the form of a CSV file with this number of rows and these columns."""
    reason = _why_not_plain(path, rows, names)
    if not reason:
        return Finding("form", True, PLAIN)
    return Finding("form", False, NOT_PLAIN.format(reason=reason), FIX)


def _why_not_plain(path: Path, rows: int, names: Sequence[str]) -> str:
    try:
        signs, header = _count_signs(path), _header(path)
    except UnicodeDecodeError:
        return "it is not in UTF-8"
    except (OSError, EOFError, zlib.error, csv.Error):
        return "it cannot be read to its end"
    lines = rows + 1
    reasons = {
        "its first line does not have the names of the columns, with commas between them": (
            header != list(names)
        ),
        "its lines do not all end in the same way": (
            signs.returns != signs.pairs or signs.returns not in (0, signs.feeds)
        ),
        "it has other lines than one for each row": signs.feeds + signs.is_open != lines,
        "its lines do not have one comma between two columns": (
            signs.commas != lines * (len(names) - 1)
        ),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


@dataclass(slots=True)
class _Signs:
    """How often signs are outside quotes."""

    commas: int = 0
    feeds: int = 0  # of lines
    returns: int = 0  # of the carriage
    pairs: int = 0  # a return and a feed: the line end of Windows
    is_open: bool = True  # the file does not end with a line end


def _count_signs(path: Path) -> _Signs:
    signs = _Signs()
    quoted, last = False, b""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with _open(path) as file:
        while chunk := file.read(CHUNK_BYTES):
            decoder.decode(chunk)
            signs.pairs += not quoted and last == b"\r" and chunk[:1] == b"\n"
            for part in chunk.split(b'"'):
                if not quoted:
                    signs.commas += part.count(b",")
                    signs.feeds += part.count(b"\n")
                    signs.returns += part.count(b"\r")
                    signs.pairs += part.count(b"\r\n")
                quoted = not quoted
            quoted, last = not quoted, chunk[-1:]  # the last part goes on in the next chunk
        decoder.decode(b"", final=True)
    signs.is_open = last != b"\n"
    return signs


def _open(path: Path) -> AbstractContextManager[Any]:
    return gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb")


def _header(path: Path) -> list[str]:
    with _open(path) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
        return next(csv.reader(text), [])
