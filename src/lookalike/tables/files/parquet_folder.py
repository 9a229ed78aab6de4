"""A table as a folder of Parquet files: there whole or not at all, and read as it was written.

A folder in it called ``sex=f`` holds the rows with that cell, and its files lack the column. Such a
column is read last and as text: so each file notes, beside its rows, how the columns were ordered.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import Fault, FileError
from lookalike.tables.duckdb.engine import DUCKDB
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import shared_connection
from lookalike.tables.duckdb.table import DuckDBTable
from lookalike.tables.files.atomic_write import same_file, to_disk, unwritable
from lookalike.tables.files.file_writing import translate_disk_errors
from lookalike.tables.sql import row_order as ordering
from lookalike.tables.sql.relation import Rows
from lookalike.tables.table import Table

FILES_OF = 10_000_000  # rows of a file
MOST = 1_000  # folders
OPEN = 200  # files at a time; a folder whose file had to be closed gets one more
HELD = 1 << 27  # bytes of rows that wait for more of their folder
GROUP = 1 << 20  # rows of a row group
NUMBERS = 100_000  # files of a folder; their names sort as they were written
NAME = 255  # bytes
NULL = "__HIVE_DEFAULT_PARTITION__"
NOTE = "lookalike.columns"
_SPECIAL = re.compile(r"[^A-Za-z0-9_.~\x80-\U0010ffff-]")
_PART = re.compile(r"part-\d{5}\.parquet")


@dataclass(frozen=True, slots=True)
class Layout:
    """By the cells of which columns rows lie in folders, and how many of them are in a file."""

    partition_by: tuple[str, ...] = ()
    files_of: int = FILES_OF

    def check(self, columns: Sequence[str]) -> None:
        """Every fault there is, before anything is written."""
        by = self.partition_by
        faults = [_no_folder(name, columns) for name in dict.fromkeys(by)]
        faults += [
            Fault(name, "partition_by names it twice", "name each column once")
            for name in dict.fromkeys(by)
            if by.count(name) > 1
        ]
        if not set(columns) - set(by):
            fix = "leave a column out of partition_by"
            faults.append(Fault("partition_by", "no column is left for the files", fix))
        if isinstance(self.files_of, bool) or not isinstance(self.files_of, int):
            faults.append(Fault("files_of", "this is no whole number", "use 1 or more"))
        elif self.files_of < 1:
            faults.append(Fault("files_of", f"{self.files_of} is too small", "use 1 or more"))
        if found := [fault for fault in faults if fault]:
            raise FileError(found)


def _no_folder(name: str, columns: Sequence[str]) -> Fault | None:
    """Why there can be no folders of the column, if so."""
    if name not in columns:
        fix = f"use one of: {', '.join(columns)}"
        return Fault(name, "the release has no such column to partition by", fix)
    if name.startswith(("_", ".")) or re.search(r"[/\\=%\x00-\x1f]", name):
        problem = "programs that read folders would not find a column of this name"
        return Fault(name, problem, "rename it, or partition by another")
    return None


# How the folder comes to its place


@contextmanager
def folder_written_whole(
    target: Path, force: bool = False, source: str | Path | None = None
) -> Iterator[Path]:
    """Yield a private folder beside ``target``; when the block succeeds it becomes ``target``.

    Its owner alone can look into it, and so it stays. With ``force`` a folder that holds nothing
    but what was written here is replaced: it is renamed, the new one gets its name, then it is
    removed. A program killed between the two renames, which are a moment apart, leaves both whole
    beside the target under hidden names, ``.name-…`` and ``.name-…-old``; at any other time the old
    or the new one is in its place.
    """
    if fault := unfit(target, force, source):
        raise FileError(fault)
    try:
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise FileError(unwritable(target, error)) from None
    try:
        yield temporary
        if fault := unfit(target, force, source):  # it may have appeared, or changed, meanwhile
            raise FileError(fault)
        _place(temporary, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)  # it is gone when all went well


def unfit(target: Path, force: bool, source: str | Path | None) -> Fault | None:
    """Why no folder should be written there, if so."""
    where = target.name
    if source is not None and (fault := _meets_input(target, Path(source))):
        return fault
    if not target.parent.is_dir():
        return Fault(where, "its folder does not exist", "make the folder, or choose another")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        return Fault(where, "its folder cannot be written to", "choose a folder of your own")
    return _in_the_way(target, force) if os.path.lexists(target) else None


def _in_the_way(target: Path, force: bool) -> Fault | None:
    """Why what is there cannot be replaced, if so."""
    where = target.name
    if target.is_symlink() or not target.is_dir():
        return Fault(where, "there is a file of this name", "choose another name for the folder")
    if not force:
        return Fault(where, "the folder exists", "choose another name, or force it to be replaced")
    if not _only_parts(target):
        problem = "it holds other files than those of a release, so it is not replaced"
        return Fault(where, problem, "choose another name, or remove the folder yourself")
    return None


def _meets_input(target: Path, source: Path) -> Fault | None:
    if same_file(target, source):
        return Fault(target.name, "this is the input itself", "write to another folder")
    here, there = target.resolve(), source.resolve()
    if there in here.parents and source.is_dir():
        fix = "write to another folder, or it would be taken for part of the input"
        return Fault(target.name, "this folder is in the input", fix)
    if here in there.parents:
        return Fault(target.name, "the input is in this folder", "write to another folder")
    return None


def _only_parts(folder: Path) -> bool:
    """Is there nothing in it that a release in a folder would not have?"""
    for place, folders, files in os.walk(folder):
        if any("=" not in name or (Path(place) / name).is_symlink() for name in folders):
            return False
        if not all(_PART.fullmatch(name) for name in files):
            return False
    return True


def _place(temporary: Path, target: Path) -> None:
    old = temporary.with_name(f"{temporary.name}-old") if target.is_dir() else None
    try:
        if old is not None:
            target.rename(old)
        try:
            temporary.rename(target)  # fails if something is there: no race to lose
        except BaseException:
            if old is not None:
                old.rename(target)
            raise
        to_disk(target.parent)
    except OSError as error:
        if error.errno in {errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR}:
            fix = "choose another name, or force it to be replaced"
            raise FileError(Fault(target.name, "the folder exists", fix)) from None
        raise FileError(unwritable(target, error)) from None
    if old is not None:
        shutil.rmtree(old, ignore_errors=True)


# How rows come to their files


def write_folder(released: Table, folder: Path, layout: Layout, target: Path) -> None:
    """Lay the rows down in ``folder``, in their order, and on disk; ``target`` is for messages."""
    files = _Files(folder, layout, released.columns, target.name)
    with translate_errors(target.name), translate_disk_errors(target):
        try:
            for batch in released.batches():
                files.add(_plain(batch))
            files.end()
        finally:
            files.drop()
        for place, _, names in os.walk(folder, topdown=False):
            for name in names:
                to_disk(Path(place) / name)
            to_disk(Path(place))


@dataclass(slots=True, eq=False)
class _Part:
    """The files of one folder, one after another, each private to its owner."""

    folder: Path
    layout: Layout
    note: dict[str, str]
    where: str
    waiting: list[Any] = field(default_factory=list)
    writer: Any = None
    number: int = 0  # of the next file
    rows: int = 0  # in the file that is open

    def flush(self) -> None:
        rows = pa.concat_tables(self.waiting)
        self.waiting.clear()
        self.begin(rows.schema)
        while len(rows):
            self.begin(rows.schema)
            some = rows.slice(0, self.layout.files_of - self.rows)
            self.writer.write_table(some, row_group_size=GROUP)
            self.rows += len(some)
            rows = rows.slice(len(some))
            if self.rows == self.layout.files_of:
                self.close()

    def begin(self, schema: Any) -> None:
        if self.writer is not None:
            return
        if self.number == NUMBERS:
            problem = f"it would be more than {NUMBERS:,} files"
            raise FileError(Fault(self.where, problem, "let files_of be larger"))
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


class _Files:
    """Every folder met so far. Rows wait until there are enough of them to be worth a write."""

    def __init__(self, folder: Path, layout: Layout, columns: Sequence[str], where: str) -> None:
        self.folder, self.layout, self.where = folder, layout, where
        self.note = {NOTE: json.dumps(list(columns))} if layout.partition_by else {}
        self.parts: dict[tuple[str | None, ...], _Part] = {}
        self.opened: dict[_Part, None] = {}  # the one last written to is last
        self.held = 0
        self.empty: Any = None

    def add(self, batch: Any) -> None:
        for key, rows in self._split(batch):
            if len(rows):
                self._part(key).waiting.append(rows)
            else:
                self.empty = rows
        self.held += batch.nbytes
        if self.held > HELD:
            self._flush()

    def end(self) -> None:
        """Were there no rows, one file says so, and what columns they would have."""
        if not self.parts:
            self._part((None,) * len(self.layout.partition_by)).waiting.append(self.empty)
        self._flush()
        for part in self.opened:
            part.close()
        self.opened.clear()

    def drop(self) -> None:
        """After a fault: what is there is removed by who asked for it."""
        for part in self.opened:
            with suppress(OSError, pa.ArrowException):
                part.close()

    def _flush(self) -> None:
        for part in self.parts.values():
            if not part.waiting:
                continue
            self.opened.pop(part, None)
            while len(self.opened) >= OPEN:
                oldest = next(iter(self.opened))
                oldest.close()
                del self.opened[oldest]
            self.opened[part] = None
            part.flush()
        self.held = 0

    def _part(self, key: tuple[str | None, ...]) -> _Part:
        if key not in self.parts:
            if len(self.parts) == MOST:
                raise self._too_many(", ".join(self.layout.partition_by))
            place = self.folder
            for name, text in zip(self.layout.partition_by, key, strict=True):
                place /= _folder_name(name, text)
                place.mkdir(mode=0o700, exist_ok=True)
            self.parts[key] = _Part(place, self.layout, self.note, self.where)
        return self.parts[key]

    def _too_many(self, name: str) -> FileError:
        problem = f"partition_by would make more than {MOST:,} folders"
        return FileError(Fault(name, problem, "partition by columns with fewer different cells"))

    def _split(self, batch: Any) -> Iterator[tuple[tuple[str | None, ...], Any]]:
        """The rows of each folder, in the order they came; columns that are folders are gone."""
        by = self.layout.partition_by
        rows = batch.drop_columns(list(by)) if by else batch
        if not by or not len(batch):
            yield (None,) * len(by), rows
            return
        coded = [_texts(batch.column(name), name).dictionary_encode("encode") for name in by]
        key = np.zeros(len(batch), dtype=np.int64)
        for name, column in zip(by, coded, strict=True):
            if len(column.dictionary) > MOST:
                raise self._too_many(name)
            key = key * len(column.dictionary) + column.indices.to_numpy()
            key = np.unique(key, return_inverse=True)[1]
        order = np.argsort(key, kind="stable")
        begins = np.flatnonzero(np.diff(key[order], prepend=-1))
        rows = rows.take(pa.array(order)) if len(begins) > 1 else rows
        for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(order)], strict=True):
            at = int(order[begin])
            yield tuple(column[at].as_py() for column in coded), rows.slice(begin, end - begin)


def _folder_name(name: str, text: str | None) -> str:
    """As all readers take it: what is not ASCII as it is, for Spark undoes ``%`` byte by byte."""
    if text == NULL:
        problem = "it holds the text by which folders of nulls are known"
        raise FileError(Fault(name, problem, "partition by another column"))
    escaped = _SPECIAL.sub(lambda found: f"%{ord(found[0]):02X}", text or "")
    made = f"{name}={NULL if text is None else escaped}"
    if len(os.fsencode(made)) > NAME:
        problem = "it holds texts too long for the name of a folder"
        raise FileError(Fault(name, problem, "partition by another column"))
    return made


def _texts(column: Any, name: str) -> Any:
    """Each cell as text, just as it will be compared."""
    relation = shared_connection().from_arrow(pa.table({"c": column}))
    (kind,) = DUCKDB.types(relation, name)
    shown = DUCKDB.query(relation, f"SELECT {DUCKDB.text('c', kind)} AS s FROM t", name)
    return DUCKDB.fetch(shown, name).column("s").cast(pa.string()).combine_chunks()


def _plain(batch: Any) -> Any:
    """Cells and names alone: a dictionary may list cells that no released row has."""
    kinds = [(field.name, _plain_kind(field.type)) for field in batch.schema]
    return batch.cast(pa.schema(kinds))


def _plain_kind(kind: Any) -> Any:
    if pa.types.is_dictionary(kind):
        return _plain_kind(kind.value_type)
    if pa.types.is_null(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_plain_kind(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(inner.name, _plain_kind(inner.type)) for inner in kind])
    return kind


# How the folder is read


@dataclass(frozen=True, slots=True, eq=False)
class HiveTable(DuckDBTable):
    """Rows in folders that are columns: they are sorted by these first, then by the others."""

    folders: tuple[str, ...] = ()

    def count_out_of_order(self) -> list[tuple[int, int | None]]:
        rest = [name for name in self.columns if name not in self.folders]
        return ordering.count_out_of_order(_arranged(self.content, (*self.folders, *rest)))


def in_order(folder: Path, files: Sequence[Path]) -> list[Path]:
    """Files by the cells that their folders stand for, nulls last, then by name.

    By name alone, ``a=%7Cb`` would come before ``a=b``, and a null between others.
    """
    return sorted(files, key=lambda one: [_cell(part) for part in one.relative_to(folder).parts])


def _cell(part: str) -> tuple[bool, str]:
    _, hive, text = part.partition("=")
    return (text == NULL, unquote(text)) if hive else (False, part)


def as_written(table: Table, folder: Path, files: Sequence[Path]) -> Table:
    """The table with its columns in the order that a file notes, if it does."""
    parts = files[0].relative_to(folder).parts[:-1]
    folders = tuple(part.partition("=")[0] for part in parts if "=" in part)
    if not folders or not isinstance(table, DuckDBTable):
        return table
    content = _arranged(table.content, _noted(files[0], table.columns))
    return HiveTable(table.kind, content, table.scratch, path=table.path, folders=folders)


def _noted(file: Path, columns: tuple[str, ...]) -> tuple[str, ...]:
    """What it says, if that is the same columns in some order."""
    said = (pq.read_metadata(file).metadata or {}).get(NOTE.encode())
    with suppress(ValueError, TypeError):
        order = tuple(json.loads(said or b"null"))
        if sorted(order) == sorted(columns):
            return order
    return columns


def _arranged(rows: Rows, names: tuple[str, ...]) -> Rows:
    """The same rows, their columns in another order."""
    shown = ", ".join(f"c{at} AS c{i}" for i, at in enumerate(rows.positions(names)))
    return rows.query(f"SELECT {shown} FROM t").rename(names)
