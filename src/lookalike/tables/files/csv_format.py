"""What a CSV file is like, found by looking: its encoding, its delimiter, its names.

DuckDB then reads it with nothing left to guess. Every column is text: a zip keeps its zeros.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from lookalike.errors import Fault, TableError
from lookalike.tables import column_names as names

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 256 * 1024  # characters to look at for the delimiter
_CHUNK = 1024 * 1024
_UNREADABLE = "it is damaged or no CSV file"
_DATUM = re.compile(r"[+-]?\d+([.,]\d+)?|\d{4}-\d{1,2}-\d{1,2}.*")  # a number or a date
_SEPARATOR = re.compile(r'"?sep=(.)"?(\r\n|\r|\n)', re.IGNORECASE)  # a first line for Excel
_YEAR = re.compile(r"(19|20)\d{2}")  # may well be a name


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A file that DuckDB can read, and how."""

    path: Path  # the file, or its copy in UTF-8
    gzipped: bool
    delimiter: str
    names: tuple[str, ...]


def inspect(path: Path, copies: Path) -> CsvFile:
    """Look at the file; if DuckDB could not read it, put a copy in the private folder ``copies``.

    The copy is in UTF-8, and without the line ``sep=;`` that some programs write first for Excel.
    """
    gzipped = path.suffix.lower() == ".gz"
    try:
        encoding = _encoding(path)
        readable = path
        if encoding != "utf-8":
            readable, gzipped = _copy(path, encoding, copies), False
        sample, whole = _sample(readable)
        said = _SEPARATOR.match(sample)
        if said:
            skip = said.end()
            readable, gzipped = _copy(path, _marked(encoding), copies, skip), False
            sample = sample[skip:]
    except UnicodeError:
        raise TableError(_spoilt(path, "its text is not valid")) from None
    except (OSError, EOFError):  # gzip raises both
        raise TableError(_spoilt(path, _UNREADABLE)) from None
    try:
        delimiter = _said(path, said[1]) if said else _delimiter(sample, whole)
        header = next(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter), [])
    except csv.Error:
        raise TableError(_spoilt(path, "its first line does not read as names")) from None
    return CsvFile(readable, gzipped, delimiter, _names(path, header))


def _spoilt(path: Path, problem: str) -> Fault:
    return Fault(path.name, problem, "save the table anew as CSV in UTF-8")


def _names(path: Path, header: list[str]) -> tuple[str, ...]:
    if not any(header):
        problem = "its first line is empty"
        raise TableError(Fault(path.name, problem, "begin the file with a line of names"))
    for position, name in enumerate(header, 1):
        if _DATUM.fullmatch(name.strip()) and not _YEAR.fullmatch(name.strip()):
            problem = f"in its first line, cell {position} is a number or a date and not a name"
            raise TableError(Fault(path.name, problem, "begin the file with a line of names"))
    return names.checked(path.name, header)


@contextmanager
def _bytes(path: Path) -> Iterator[IO[bytes] | gzip.GzipFile]:
    with path.open("rb") as raw:
        if path.suffix.lower() == ".gz":
            with gzip.open(raw, "rb") as plain:
                yield plain
        else:
            yield raw


def _encoding(path: Path) -> str:
    """UTF-16 and UTF-32 bear a mark; else UTF-8 if all of it is valid; else one byte a letter."""
    with _bytes(path) as file:
        chunk = file.read(_CHUNK)
        if chunk.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
            return "utf-32"
        if chunk.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        decoder = codecs.getincrementaldecoder("utf-8")()
        encoding = "utf-8"
        undefined = False  # in cp1252
        while chunk:
            if b"\0" in chunk:
                raise TableError(_spoilt(path, _UNREADABLE))
            if encoding == "utf-8":
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError:
                    encoding = "cp1252"
            undefined = undefined or any(chunk.find(b) >= 0 for b in b"\x81\x8d\x8f\x90\x9d")
            chunk = file.read(_CHUNK)
        if encoding == "utf-8":
            try:
                decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                encoding = "cp1252"
    return "latin-1" if encoding == "cp1252" and undefined else encoding


def _marked(encoding: str) -> str:
    """The encoding by which a byte order mark is no text."""
    return "utf-8-sig" if encoding == "utf-8" else encoding


def _copy(path: Path, encoding: str, copies: Path, skip: int = 0) -> Path:
    """The file in UTF-8, without its first ``skip`` characters."""
    copy = copies / "table.csv"
    with _bytes(path) as file, copy.open("w", encoding="utf-8", newline="") as out:
        text = io.TextIOWrapper(file, encoding=encoding, newline="")
        try:
            text.read(skip)
            while chunk := text.read(_CHUNK):
                out.write(chunk)
        finally:
            text.detach()  # the file is closed where it was opened
    return copy


def _sample(path: Path) -> tuple[str, bool]:
    """The beginning of the file, and whether that is all of it."""
    with _bytes(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        try:
            sample = text.read(_SAMPLE)
            return sample, not text.read(1)
        finally:
            text.detach()


def _said(path: Path, delimiter: str) -> str:
    """The delimiter that the file's first line names."""
    if delimiter not in DELIMITERS:
        problem = "its first line names a delimiter that is not read"
        fix = "save it with commas, semicolons, tabs or bars, and delete that line"
        raise TableError(Fault(path.name, problem, fix))
    return delimiter


def _delimiter(sample: str, whole: bool) -> str:
    """The one by which most lines have as many cells as the first, and that is more than one."""
    best, best_score = DELIMITERS[0], (0.0, 1)
    for delimiter in DELIMITERS:
        widths = []
        with suppress(csv.Error):  # a spoilt line further down is for the engine to find
            for record in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
                widths.extend([len(record)] if record else [])
        if not whole and len(widths) > 1:
            widths.pop()  # cut off in the middle
        if not widths or widths[0] < 2:
            continue
        score = (sum(width == widths[0] for width in widths) / len(widths), widths[0])
        if score > best_score:
            best, best_score = delimiter, score
    return best
