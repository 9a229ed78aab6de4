"""Rows to a file, by DuckDB: .csv or .parquet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import Fault, FileError, TableError
from lookalike.tables.duckdb.engine import DuckDB, each, named
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.engine_progress import Step, telling
from lookalike.tables.sql.relation import Rows

STRETCH = 1 << 20  # rows of a Parquet file that are made at a time


def write(rows: Rows, path: Path) -> None:
    """Write to ``path`` as its suffix says.

    CSV: UTF-8, commas, a line of names, every cell as it is compared; null is an empty field and
    the empty text is ``""``. A NUL character is a fault. Parquet: the columns' own types, zstd.
    """
    suffix = path.suffix.lower()
    if suffix not in {".csv", ".parquet"}:
        fix = "let the file's name end in .csv or .parquet"
        raise FileError(Fault(path.name, "the end of its name says no kind of file", fix))
    if suffix == ".csv":
        rows = each(rows)
        shown = ", ".join(f"{text} AS c{i}" for i, text in enumerate(rows.texts(rows.names)))
        shown_rows = rows.query(f"SELECT {shown} FROM t")
        _refuse_nul(shown_rows)
        text = named(shown_rows)
        with translate_errors(path.name), room(path), _told(rows):
            # use_tmp_file would make a new file, with rights wider than the one waiting for us
            text.write_csv(str(path), sep=",", na_rep="", header=True, quotechar='"',
                           escapechar='"', use_tmp_file=False, overwrite=True)  # fmt: skip
        return
    if rows.weighted:
        with room(path):
            _write_repeated(rows, path)
        return
    native = named(rows)
    with translate_errors(path.name), room(path), _told(rows):
        native.write_parquet(str(path), compression="zstd", use_tmp_file=False, overwrite=True)


def _told(rows: Rows) -> AbstractContextManager[Step]:
    return telling(rows.engine.step("writing") if isinstance(rows.engine, DuckDB) else Step("", 0))


@contextmanager
def room(path: Path) -> Iterator[None]:
    """A disk that is full, or gone, is a fault of the place and not of the table."""
    fix = "make room on the disk, or choose another folder"
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else type(error).__name__
        raise FileError(Fault(path.name, f"it cannot be written ({reason})", fix)) from None
    except duckdb.IOException:
        raise FileError(Fault(path.name, "it cannot be written", fix)) from None


def _write_repeated(rows: Rows, path: Path) -> None:
    """Each distinct row as often as it is there, a stretch of the file at a time.

    Columns are held as codes into their distinct cells, so repeating a row repeats a few numbers.
    """
    table = rows.fetch("SELECT * FROM t")
    times = table.column("n").to_numpy()
    ends = np.cumsum(times)
    coded = [_coded(table.column(i).combine_chunks()) for i in range(len(rows.names))]
    schema = pa.schema(list(zip(rows.names, (column.type for column in coded), strict=True)))
    total = int(ends[-1]) if len(ends) else 0
    with pq.ParquetWriter(path, schema, compression="zstd", store_schema=False) as file:
        for begin in range(0, total, STRETCH):
            end = min(total, begin + STRETCH)
            first, last = np.searchsorted(ends, [begin, end - 1], side="right").tolist()
            held = np.minimum(ends[first : last + 1], end) - np.maximum(
                ends[first : last + 1] - times[first : last + 1], begin
            )
            at = pa.array(np.repeat(np.arange(first, last + 1), held))
            file.write_table(pa.table([one.take(at) for one in coded], schema=schema))


def _coded(column: Any) -> Any:
    """Text by the numbers of its distinct cells; in the file it is text again."""
    return column.dictionary_encode() if pa.types.is_string(column.type) else column


def _refuse_nul(text: Rows) -> None:
    """CSV has no NUL characters: most programs take a file with one for damaged, and so do we."""
    asked = ", ".join(f"bool_or(contains(c{i}, chr(0))) AS c{i}" for i in range(len(text.names)))
    [held] = text.fetch(f"SELECT {asked} FROM t").to_pylist()
    problem = "it holds NUL characters, which a CSV file cannot"
    fix = "write Parquet instead, or take them out"
    found = [
        Fault(name.replace("\0", "\N{SYMBOL FOR NULL}"), problem, fix)
        for name, there in zip(text.names, held.values(), strict=True)
        if there or "\0" in name
    ]
    if found:
        raise TableError(found)
