"""Write rows to a .csv or .parquet file, by DuckDB."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lookalike.errors import Fault, FileError, TableError
from lookalike.tables.duckdb.engine import DuckDB, duckdb_rows, expand_weights, named_relation
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import connection
from lookalike.tables.engine_progress import Step, report_progress
from lookalike.tables.files.scratch_folder import ScratchFolder, private_file
from lookalike.tables.sql.relation import Rows, numbered

Whole = NDArray[np.int64]
BATCH_ROWS = 1 << 20  # rows of a Parquet file that are built at a time


def write_rows(rows: Rows, path: Path) -> None:
    """Write to ``path`` in the format of its extension.

    CSV: UTF-8, commas, a line of names, every cell as it is compared; null is an empty field and
    the empty text is ``""``. A NUL character is a fault. Parquet: the columns' own types, zstd.
    """
    suffix = path.suffix.lower()
    if suffix not in {".csv", ".parquet"}:
        fix = "let the file's name end in .csv or .parquet"
        raise FileError(Fault(path.name, "unrecognized file extension", fix))
    if suffix == ".csv":
        rows = expand_weights(rows)
        text = rows.query(f"SELECT {numbered(rows.texts(rows.names))} FROM t")
        _refuse_nul(text)
        relation = named_relation(text)
        with translate_errors(path.name), translate_disk_errors(path), _progress(rows):
            # use_tmp_file would create a new file, with wider permissions than the one prepared
            relation.write_csv(str(path), sep=",", na_rep="", header=True, quotechar='"',
                               escapechar='"', use_tmp_file=False, overwrite=True)  # fmt: skip
    elif rows.weighted:
        with translate_disk_errors(path):
            _write_repeated(rows, path)
    else:
        relation = named_relation(rows)
        with translate_errors(path.name), translate_disk_errors(path), _progress(rows):
            relation.write_parquet(
                str(path), compression="zstd", use_tmp_file=False, overwrite=True
            )


def write_batches(batches: Iterable[Any], where: str, path: Path) -> None:
    """Write Arrow tables with the same columns, at least one: to a private file, then as rows."""
    import pyarrow.parquet as pq  # late: a CSV file does not need it

    scratch = ScratchFolder()
    spool = private_file(scratch.folder / "rows.parquet")
    batches = iter(batches)
    first = next(batches)
    with pq.ParquetWriter(spool, first.schema) as file:
        for batch in chain([first], batches):
            file.write_table(batch)
    relation = connection(str(scratch.folder)).from_parquet(str(spool))
    write_rows(duckdb_rows(relation, relation.columns, where), path)


def _progress(rows: Rows) -> AbstractContextManager[Step]:
    engine = rows.engine
    return report_progress(engine.step("writing") if isinstance(engine, DuckDB) else Step("", 0))


@contextmanager
def translate_disk_errors(path: Path) -> Iterator[None]:
    """Turn errors of a full or missing disk into a FileError, not a TableError."""
    fix = "free some disk space, or choose another folder"
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else type(error).__name__
        raise FileError(Fault(path.name, f"it cannot be written ({reason})", fix)) from None
    except duckdb.IOException:
        raise FileError(Fault(path.name, "it cannot be written", fix)) from None


def repeated_slices(counts: Whole, size: int) -> Iterator[tuple[slice, Whole]]:
    """Cut distinct rows, each there ``counts`` times, into pieces of ``size`` rows.

    Yields for each piece which distinct rows are in it, and how often each of them is.
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    for begin in range(0, total, size):
        end = min(total, begin + size)
        first, last = np.searchsorted(ends, [begin, end - 1], side="right").tolist()
        part = slice(first, last + 1)
        yield part, np.minimum(ends[part], end) - np.maximum(ends[part] - counts[part], begin)


def _write_repeated(rows: Rows, path: Path) -> None:
    """Write each distinct row as often as it occurs, one part of the file at a time.

    Columns are encoded as codes into their distinct cells, so repeating a row repeats few numbers.
    """
    import pyarrow.parquet as pq

    table = rows.fetch("SELECT * FROM t")
    counts = table.column("n").to_numpy()
    encoded = [_encode(table.column(i).combine_chunks()) for i in range(len(rows.names))]
    schema = pa.schema(list(zip(rows.names, (column.type for column in encoded), strict=True)))
    with pq.ParquetWriter(path, schema, compression="zstd", store_schema=False) as file:
        for part, repeats in repeated_slices(counts, BATCH_ROWS):
            at = pa.array(np.repeat(np.arange(part.start, part.stop), repeats))
            file.write_table(pa.table([column.take(at) for column in encoded], schema=schema))


def _encode(column: Any) -> Any:
    """Text as a dictionary; in the file it is text again."""
    return column.dictionary_encode() if pa.types.is_string(column.type) else column


def _refuse_nul(text: Rows) -> None:
    """CSV has no NUL characters: most programs consider a file with one damaged, and so do we."""
    tests = ", ".join(f"bool_or(contains(c{i}, chr(0))) AS c{i}" for i in range(len(text.names)))
    [has_nul] = text.fetch(f"SELECT {tests} FROM t").to_pylist()
    problem = "it contains NUL characters, which CSV files cannot have"
    fix = "write Parquet instead, or remove them"
    faults = [
        Fault(name.replace("\0", "\N{SYMBOL FOR NULL}"), problem, fix)
        for name, in_cells in zip(text.names, has_nul.values(), strict=True)
        if in_cells or "\0" in name
    ]
    if faults:
        raise TableError(faults)
