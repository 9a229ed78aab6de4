"""Open CSV and Parquet files, and folders of Parquet files, in DuckDB."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import Fault, TableError
from lookalike.tables import column_names as names
from lookalike.tables.duckdb.engine import duckdb_rows
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import connection
from lookalike.tables.duckdb.table import DuckDBTable
from lookalike.tables.files import csv_format as csv_file
from lookalike.tables.files.scratch_folder import ScratchFolder
from lookalike.tables.sql.relation import Rows, log, quoted, without_literals
from lookalike.tables.table import Table


def open_csv(path: Path) -> Table:
    """Every column is text; an empty field is null and ``""`` is the empty text."""
    scratch = ScratchFolder()
    file = csv_file.inspect(path, scratch.folder)
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(file.names)))
    sql = (
        f"SELECT * FROM read_csv(?, delim=?, compression=?, columns={{{columns}}}, "
        "auto_detect=false, header=true, quote='\"', escape='\"', strict_mode=true, "
        "nullstr='', allow_quoted_nulls=false, hive_partitioning=false)"
    )
    compression = "gzip" if file.gzipped else "none"
    parameters = [_no_pattern(file.path), file.delimiter, compression]
    rows = _rows(path.name, file.names, sql, parameters, connection(str(scratch.folder)))
    return DuckDBTable("csv", rows, scratch, path=path)


def open_parquet(path: Path) -> Table:
    """Columns have the file's own types."""
    sql = "SELECT * FROM read_parquet(?, hive_partitioning=false)"
    found = names.checked(path.name, _header(path))

    def opened(threads: int | None = None) -> DuckDBTable:
        scratch = ScratchFolder()
        own = connection(str(scratch.folder), threads=threads)
        rows = _rows(path.name, found, sql, [_no_pattern(path)], own)
        return DuckDBTable("parquet", rows, scratch, path=path)

    return _coded(opened, [path])


def _header(path: Path) -> tuple[str, ...]:
    """The names of a Parquet file; DuckDB would rename those that occur twice."""
    try:
        return tuple(pq.read_schema(path).names)
    except (pa.ArrowException, OSError):
        fix = "write the file anew as Parquet"
        raise TableError(Fault(path.name, "it does not read as Parquet", fix)) from None


def open_parquet_files(where: str, folder: Path, files: Sequence[Path]) -> Table:
    """Files with the same columns as one table; folders called ``year=2024`` are a column each."""
    headers = {_header(one) for one in files}
    if len(headers) > 1:
        problem = f"its {len(files)} files do not have the same columns"
        raise TableError(Fault(where, problem, "write them anew with the same columns"))
    parts = files[0].relative_to(folder).parts[:-1]
    folders = [part.partition("=")[0] for part in parts if "=" in part]
    found = names.checked(where, [*headers.pop(), *folders])
    columns = ", ".join(f"c.{quoted(name)}" for name in found)
    sql = (
        f"SELECT {columns} FROM read_parquet(?, hive_partitioning={bool(folders)}, "
        "hive_types_autocast=false, union_by_name=true) c"
    )

    def opened(threads: int | None = None) -> DuckDBTable:
        scratch = ScratchFolder()
        own = connection(str(scratch.folder), threads=threads)
        rows = _rows(where, found, sql, [[_no_pattern(one) for one in files]], own)
        return DuckDBTable("parquet", rows, scratch, path=folder)

    return opened() if folders else _coded(opened, files)


def _coded(opened: Callable[[int | None], DuckDBTable], files: Sequence[Path]) -> Table:
    from lookalike.tables.packed.table import coded_if_fit

    return coded_if_fit(opened, files)


def _rows(
    where: str,
    found: Sequence[str],
    sql: str,
    parameters: list[Any],
    own: duckdb.DuckDBPyConnection,
) -> Rows:
    """What is read from a file, on a connection of its own."""
    log.debug("%s", without_literals(sql))
    with translate_errors(where):
        relation = own.sql(sql, params=parameters)
    return duckdb_rows(relation, found, where, own)


def _no_pattern(path: Path) -> str:
    """The path for DuckDB, to which ``*``, ``?`` and ``[`` are patterns of file names."""
    return re.sub(r"([*?\[])", r"[\1]", str(path.absolute()))
