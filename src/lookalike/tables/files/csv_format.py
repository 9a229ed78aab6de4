"""Detect the format of a CSV file: its encoding, its delimiter, its column names.

DuckDB then reads it and need not guess anything. Every column is text: a zip keeps its zeros.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import shutil
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookalike.errors import Fault, TableError
from lookalike.tables import column_names as names
from lookalike.tables.files.scratch_folder import private_file

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_CHARACTERS = 256 * 1024  # from which the delimiter is detected
_CHUNK_BYTES = 1024 * 1024
_UNREADABLE = "it is damaged, or not a CSV file"
_DATUM = re.compile(r"[+-]?\d+([.,]\d+)?|\d{4}-\d{1,2}-\d{1,2}.*")  # a number or a date
_SEPARATOR = re.compile(r'"?sep=(.)"?(\r\n|\r|\n)', re.IGNORECASE)  # a first line for Excel
_YEAR = re.compile(r"(19|20)\d{2}")  # may be a column name


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A file that DuckDB can read, and its format."""

    path: Path  # the file, or its copy in UTF-8
    gzipped: bool
    delimiter: str
    names: tuple[str, ...]


def inspect(path: Path, copies: Path) -> CsvFile:
    """Detect the format; if DuckDB could not read the file, put a copy in the folder ``copies``.

    The copy is in UTF-8, and without the line ``sep=;`` that some programs write first for Excel.
    """
    gzipped = path.suffix.lower() == ".gz"
    try:
        encoding = _encoding(path)
        readable = path
        if encoding != "utf-8":
            readable, gzipped = _copy(path, encoding, copies), False
        sample, whole = _sample(readable)
        line = _SEPARATOR.match(sample)
        if line:
            skip = line.end()
            without_mark = "utf-8-sig" if encoding == "utf-8" else encoding
            readable, gzipped = _copy(path, without_mark, copies, skip), False
            sample = sample[skip:]
    except UnicodeError:
        raise TableError(_damaged(path, "its text is not valid")) from None
    except (OSError, EOFError, zlib.error):  # gzip raises all of them
        raise TableError(_damaged(path, _UNREADABLE)) from None
    try:
        delimiter = _named_delimiter(path, line[1]) if line else _delimiter(sample, whole)
        header = next(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter), [])
    except csv.Error:
        raise TableError(_damaged(path, "its first line cannot be read as column names")) from None
    return CsvFile(readable, gzipped, delimiter, _names(path, header))


def _damaged(path: Path, problem: str) -> Fault:
    return Fault(path.name, problem, "save the table again as CSV in UTF-8")


def _names(path: Path, header: list[str]) -> tuple[str, ...]:
    fix = "begin the file with a line of column names"
    if not any(header):
        raise TableError(Fault(path.name, "its first line is empty", fix))
    for position, name in enumerate(header, 1):
        if _DATUM.fullmatch(name.strip()) and not _YEAR.fullmatch(name.strip()):
            problem = f"in its first line, cell {position} is a number or a date, not a name"
            raise TableError(Fault(path.name, problem, fix))
    return names.check_names(path.name, header)


def _open(path: Path, mode: str, encoding: str | None = None) -> Any:
    """Open the file, which may be compressed, to read bytes or text; line ends stay as they are."""
    opener: Any = gzip.open if path.suffix.lower() == ".gz" else open
    return opener(path, mode, encoding=encoding, newline="" if encoding else None)


def _encoding(path: Path) -> str:
    """UTF-16 and UTF-32 have a mark; else UTF-8 if all is valid; else Windows-1252 or Latin-1."""
    with _open(path, "rb") as file:
        chunk = file.read(_CHUNK_BYTES)
        if chunk.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
            return "utf-32"
        if chunk.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        decoder = codecs.getincrementaldecoder("utf-8")()
        encoding, fallback, at_end = "utf-8", "cp1252", False
        while not at_end:
            at_end = not chunk
            if b"\0" in chunk:
                raise TableError(_damaged(path, _UNREADABLE))
            if encoding == "utf-8":
                try:
                    decoder.decode(chunk, final=at_end)
                except UnicodeDecodeError:
                    encoding = ""
            if any(byte in chunk for byte in b"\x81\x8d\x8f\x90\x9d"):  # undefined in cp1252
                fallback = "latin-1"
            chunk = file.read(_CHUNK_BYTES)
    return encoding or fallback


def _copy(path: Path, encoding: str, copies: Path, skip: int = 0) -> Path:
    """The file in UTF-8, without its first ``skip`` characters."""
    copy = private_file(copies / "table.csv")
    with (
        _open(path, "rt", encoding) as text,
        copy.open("w", encoding="utf-8", newline="") as out,
    ):
        text.read(skip)
        shutil.copyfileobj(text, out, _CHUNK_BYTES)
    return copy


def _sample(path: Path) -> tuple[str, bool]:
    """The beginning of the file, and whether that is all of it."""
    with _open(path, "rt", "utf-8-sig") as text:
        return text.read(_SAMPLE_CHARACTERS), not text.read(1)


def _named_delimiter(path: Path, delimiter: str) -> str:
    """The delimiter that the file's first line names."""
    if delimiter not in DELIMITERS:
        problem = "its first line names a delimiter that is not supported"
        fix = "save it with commas, semicolons, tabs or vertical bars, and delete that line"
        raise TableError(Fault(path.name, problem, fix))
    return delimiter


def _delimiter(sample: str, whole: bool) -> str:
    """The delimiter with which most lines have as many cells as the first, and more than one."""
    best, best_score = DELIMITERS[0], (0.0, 1)
    for delimiter in DELIMITERS:
        widths = []
        with suppress(csv.Error):  # the engine reports a damaged line further down
            for record in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
                widths.extend([len(record)] if record else [])
        if not whole and len(widths) > 1:
            widths.pop()  # the sample may end within it
        if not widths or widths[0] < 2:
            continue
        score = (sum(width == widths[0] for width in widths) / len(widths), widths[0])
        if score > best_score:
            best, best_score = delimiter, score
    return best
