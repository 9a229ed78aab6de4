"""Is a released CSV file plain: UTF-8, with commas, one line for each row and nothing else?

Programs read other files in different ways. A comma too many at the end of each line shifts all
columns in one program and is ignored by another, as are blank lines or a first line ``sep=,``. What
was certified are rows, so a file of them must have one meaning.

Line ends and commas outside quotes are counted: a file whose rows were read without a fault has
more of them than its rows need only if it holds something else.
"""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path

from lookalike.verifier.finding import Finding

CHUNK_BYTES = 1 << 22
PLAIN = "The file is plain CSV: UTF-8, commas, and one line for each row."
NOT_PLAIN = "The file is not plain CSV ({reason}), so programs may read different tables from it."
FIX = "ask the data holder for the file as it was written"


def check_plain_csv(path: Path, rows: int, columns: int) -> Finding:
    """The finding about the form of a CSV file with this number of rows and columns."""
    reason = _why_not_plain(path, rows, columns)
    if not reason:
        return Finding("form", True, PLAIN)
    return Finding("form", False, NOT_PLAIN.format(reason=reason), FIX)


def _why_not_plain(path: Path, rows: int, columns: int) -> str:
    lines = commas = 0
    quoted, last = False, b""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                decoder.decode(chunk)
                for part in chunk.split(b'"'):
                    if not quoted:
                        lines += part.count(b"\n")
                        commas += part.count(b",")
                    quoted = not quoted
                quoted, last = not quoted, chunk[-1:]  # the last part goes on in the next chunk
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "it is not in UTF-8"
    except (OSError, EOFError, zlib.error):
        return "it cannot be read to its end"
    if lines + (last != b"\n") != rows + 1:
        return "it has other lines than one for each row"
    if commas != (rows + 1) * (columns - 1):
        return "its lines do not have one comma between two columns"
    return ""
