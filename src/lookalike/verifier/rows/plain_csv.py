"""Is a released CSV file plain: UTF-8, with commas, one line for each row and nothing else?

Programs read other files in different ways. A comma too many at the end of each line shifts all
columns in one program and is ignored by another, as are blank lines or a first line ``sep=,``. What
was certified are rows, so a file of them must have one meaning.

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
    """The finding about the form of a CSV file with so many rows and these columns."""
    reason = _why_not_plain(path, rows, names)
    if not reason:
        return Finding("form", True, PLAIN)
    return Finding("form", False, NOT_PLAIN.format(reason=reason), FIX)


def _why_not_plain(path: Path, rows: int, names: Sequence[str]) -> str:
    lines = commas = 0
    quoted, last = False, b""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with _open(path) as file:
            while chunk := file.read(CHUNK_BYTES):
                decoder.decode(chunk)
                for part in chunk.split(b'"'):
                    if not quoted:
                        lines += part.count(b"\n")
                        commas += part.count(b",")
                    quoted = not quoted
                quoted, last = not quoted, chunk[-1:]  # the last part goes on in the next chunk
            decoder.decode(b"", final=True)
        header = _header(path)
    except UnicodeDecodeError:
        return "it is not in UTF-8"
    except (OSError, EOFError, zlib.error, csv.Error):
        return "it cannot be read to its end"
    if header != list(names):
        return "its first line does not have the names of the columns, with commas between them"
    if lines + (last != b"\n") != rows + 1:
        return "it has other lines than one for each row"
    if commas != (rows + 1) * (len(names) - 1):
        return "its lines do not have one comma between two columns"
    return ""


def _open(path: Path) -> AbstractContextManager[Any]:
    return gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb")


def _header(path: Path) -> list[str]:
    with _open(path) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
        return next(csv.reader(text), [])
