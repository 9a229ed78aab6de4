"""Write a table as a folder of Parquet files, with a folder for each cell of some columns."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import Fault, FileError
from lookalike.tables.arrow_types import without_dictionaries
from lookalike.tables.duckdb.engine import cell_texts
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.files.file_writing import translate_disk_errors
from lookalike.tables.files.folder_reading import NOTE, NULL
from lookalike.tables.files.placement import sync_to_disk
from lookalike.tables.table import Table

MAX_FILE_ROWS = 10_000_000
MAX_FOLDERS = 1_000
MAX_OPEN_FILES = 200  # a folder whose file had to be closed gets another file
MAX_WAITING_BYTES = 1 << 27  # of rows that wait for more rows of their folder
GROUP_ROWS = 1 << 20  # rows of a row group
MAX_FILES = 100_000  # of a folder; their names sort in the order they were written
MAX_NAME_BYTES = 255
_SPECIAL = re.compile(r"[^A-Za-z0-9_.~\x80-\U0010ffff-]")


@dataclass(frozen=True, slots=True)
class FolderLayout:
    """The columns whose cells become folders, and the maximal number of rows of a file."""

    partition_by: tuple[str, ...] = ()
    files_of: int = MAX_FILE_ROWS

    def check(self, columns: Sequence[str]) -> None:
        """FileError with every fault, before anything is written."""
        by = self.partition_by
        faults = [_column_fault(name, columns) for name in dict.fromkeys(by)]
        faults += [
            Fault(name, "partition_by names it twice", "name each column once")
            for name in dict.fromkeys(by)
            if by.count(name) > 1
        ]
        if not set(columns) - set(by):
            fix = "leave a column out of partition_by"
            faults.append(Fault("partition_by", "no column is left for the files", fix))
        if isinstance(self.files_of, bool) or not isinstance(self.files_of, int):
            faults.append(Fault("files_of", "this is not a whole number", "use 1 or more"))
        elif self.files_of < 1:
            faults.append(Fault("files_of", f"{self.files_of} is too small", "use 1 or more"))
        if any(faults):
            raise FileError([fault for fault in faults if fault])


def _column_fault(name: str, columns: Sequence[str]) -> Fault | None:
    """Why the column cannot become folders, if so."""
    if name not in columns:
        fix = f"use one of: {', '.join(columns)}"
        return Fault(name, "the release has no such column to partition by", fix)
    if name.startswith(("_", ".")) or re.search(r"[/\\=%\x00-\x1f]", name):
        problem = "programs that read folders would not find a column with this name"
        return Fault(name, problem, "rename it, or partition by another")
    return None


def write_folder(released: Table, folder: Path, layout: FolderLayout, target: Path) -> None:
    """Write the rows to ``folder`` in their order, and sync it; ``target`` is for messages."""
    writer = _FolderWriter(folder, layout, released.columns, target.name)
    with translate_errors(target.name), translate_disk_errors(target):
        try:
            for batch in released.batches():
                writer.add(without_dictionaries(batch))
            writer.end()
        finally:
            writer.close()
        for place, _, names in os.walk(folder, topdown=False):
            for name in names:
                sync_to_disk(Path(place) / name)
            sync_to_disk(Path(place))


@dataclass(slots=True, eq=False)
class _PartFiles:
    """The files of one folder, one after another; only their owner can read them."""

    folder: Path
    layout: FolderLayout
    note: dict[str, str]
    where: str
    waiting: list[Any] = field(default_factory=list)
    writer: Any = None
    number: int = 0  # of the next file
    rows: int = 0  # in the file that is open

    def flush(self) -> None:
        rows = pa.concat_tables(self.waiting)
        self.waiting.clear()
        self._open(rows.schema)
        while len(rows):
            self._open(rows.schema)
            some = rows.slice(0, self.layout.files_of - self.rows)
            self.writer.write_table(some, row_group_size=GROUP_ROWS)
            self.rows += len(some)
            rows = rows.slice(len(some))
            if self.rows == self.layout.files_of:
                self.close()

    def _open(self, schema: Any) -> None:
        if self.writer is not None:
            return
        if self.number == MAX_FILES:
            problem = f"there would be more than {MAX_FILES:,} files"
            raise FileError(Fault(self.where, problem, "choose a larger files_of"))
        path = self.folder / f"part-{self.number:05d}.parquet"
        path.touch(mode=0o600, exist_ok=False)
        self.writer = pq.ParquetWriter(path, schema, compression="zstd", store_schema=False)
        self.number += 1
        self.rows = 0

    def close(self) -> None:
        writer, self.writer = self.writer, None
        if writer is not None:
            if self.note:
                writer.add_key_value_metadata(self.note)
            writer.close()


class _FolderWriter:
    """All folders so far. Rows wait until there are enough of them to be worth writing."""

    def __init__(
        self, folder: Path, layout: FolderLayout, columns: Sequence[str], where: str
    ) -> None:
        self.folder, self.layout, self.where = folder, layout, where
        self.note = {NOTE: json.dumps(list(columns))} if layout.partition_by else {}
        self.parts: dict[tuple[str | None, ...], _PartFiles] = {}
        self.opened: dict[_PartFiles, None] = {}  # the one written to last is last
        self.waiting_bytes = 0
        self.empty: Any = None

    def add(self, batch: Any) -> None:
        for key, rows in self._split(batch):
            if len(rows):
                self._part(key).waiting.append(rows)
            else:
                self.empty = rows
        self.waiting_bytes += batch.nbytes
        if self.waiting_bytes > MAX_WAITING_BYTES:
            self._flush()

    def end(self) -> None:
        """Write what waits. Without any rows, one empty file has the columns."""
        if not self.parts:
            self._part((None,) * len(self.layout.partition_by)).waiting.append(self.empty)
        self._flush()
        for part in self.opened:
            part.close()

    def close(self) -> None:
        """After a failure: close the files, which the caller removes."""
        for part in self.opened:
            with suppress(OSError, pa.ArrowException):
                part.close()

    def _flush(self) -> None:
        for part in self.parts.values():
            if not part.waiting:
                continue
            self.opened.pop(part, None)
            while len(self.opened) >= MAX_OPEN_FILES:
                oldest = next(iter(self.opened))
                oldest.close()
                del self.opened[oldest]
            self.opened[part] = None
            part.flush()
        self.waiting_bytes = 0

    def _part(self, key: tuple[str | None, ...]) -> _PartFiles:
        if key not in self.parts:
            if len(self.parts) == MAX_FOLDERS:
                raise _too_many_folders(", ".join(self.layout.partition_by))
            place = self.folder
            for name, text in zip(self.layout.partition_by, key, strict=True):
                place /= _folder_name(name, text)
                place.mkdir(mode=0o700, exist_ok=True)
            self.parts[key] = _PartFiles(place, self.layout, self.note, self.where)
        return self.parts[key]

    def _split(self, batch: Any) -> Iterator[tuple[tuple[str | None, ...], Any]]:
        """The rows of each folder in their order, without the columns that are folders."""
        by = self.layout.partition_by
        rows = batch.drop_columns(list(by)) if by else batch
        if not by or not len(batch):
            yield (None,) * len(by), rows
            return
        encoded = [cell_texts(batch.column(name), name).dictionary_encode("encode") for name in by]
        key = np.zeros(len(batch), dtype=np.int64)
        for name, column in zip(by, encoded, strict=True):
            if len(column.dictionary) > MAX_FOLDERS:
                raise _too_many_folders(name)
            key = key * len(column.dictionary) + column.indices.to_numpy()
            key = np.unique(key, return_inverse=True)[1]
        order = np.argsort(key, kind="stable")
        begins = np.flatnonzero(np.diff(key[order], prepend=-1))
        rows = rows.take(pa.array(order)) if len(begins) > 1 else rows
        for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(order)], strict=True):
            at = int(order[begin])
            yield tuple(column[at].as_py() for column in encoded), rows.slice(begin, end - begin)


def _too_many_folders(name: str) -> FileError:
    problem = f"partition_by would make more than {MAX_FOLDERS:,} folders"
    return FileError(Fault(name, problem, "partition by columns with fewer distinct cells"))


def _folder_name(name: str, text: str | None) -> str:
    """A name that all readers understand: only ASCII is escaped, since Spark decodes by byte."""
    if text == NULL:
        problem = "it contains the text that marks folders of nulls"
        raise FileError(Fault(name, problem, "partition by another column"))
    escaped = _SPECIAL.sub(lambda match: f"%{ord(match[0]):02X}", text or "")
    folder = f"{name}={NULL if text is None else escaped}"
    if len(os.fsencode(folder)) > MAX_NAME_BYTES:
        problem = "it contains texts too long for the name of a folder"
        raise FileError(Fault(name, problem, "partition by another column"))
    return folder
