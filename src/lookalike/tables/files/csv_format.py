"""Detect the format of a CSV file: its encoding, its delimiter, its column names.

DuckDB then reads it and need not guess anything. Every column is text: a zip keeps its zeros.
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
    except (OSError, EOFError):  # gzip raises both
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
    """UTF-16 and UTF-32 have a mark; else UTF-8 if all is valid; else Windows-1252 or Latin-1."""
    with _bytes(path) as file:
        chunk = file.read(_CHUNK_BYTES)
        if chunk.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
            return "utf-32"
        if chunk.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        decoder = codecs.getincrementaldecoder("utf-8")()
        encoding = "utf-8"
        undefined = False  # in cp1252
        while chunk:
            if b"\0" in chunk:
                raise TableError(_damaged(path, _UNREADABLE))
            if encoding == "utf-8":
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError:
                    encoding = "cp1252"
            undefined = undefined or any(chunk.find(b) >= 0 for b in b"\x81\x8d\x8f\x90\x9d")
            chunk = file.read(_CHUNK_BYTES)
        if encoding == "utf-8":
            try:
                decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                encoding = "cp1252"
    return "latin-1" if encoding == "cp1252" and undefined else encoding


def _copy(path: Path, encoding: str, copies: Path, skip: int = 0) -> Path:
    """The file in UTF-8, without its first ``skip`` characters."""
    copy = copies / "table.csv"
    with _bytes(path) as file, copy.open("w", encoding="utf-8", newline="") as out:
        text = io.TextIOWrapper(file, encoding=encoding, newline="")
        try:
            text.read(skip)
            while chunk := text.read(_CHUNK_BYTES):
                out.write(chunk)
        finally:
            text.detach()  # so that the file is not closed here
    return copy


def _sample(path: Path) -> tuple[str, bool]:
    """The beginning of the file, and whether that is all of it."""
    with _bytes(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        try:
            sample = text.read(_SAMPLE_CHARACTERS)
            return sample, not text.read(1)
        finally:
            text.detach()


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
