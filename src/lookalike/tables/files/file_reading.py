"""Open CSV and Parquet files, and folders of Parquet files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from lookalike.errors import Fault, TableError
from lookalike.tables import column_names as names
from lookalike.tables.duckdb.engine import duckdb_rows
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import Connection, connection
from lookalike.tables.duckdb.table import DuckDBTable
from lookalike.tables.files import csv_format
from lookalike.tables.files.scratch_folder import ScratchFolder
from lookalike.tables.sql.relation import Rows, log_query, quote_name
from lookalike.tables.table import Table


def open_csv(path: Path) -> Table:
    """Open a CSV file: every column is text, an empty field is null, ``""`` is the empty text."""
    scratch = ScratchFolder()
    file = csv_format.inspect(path, scratch.folder)
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(file.names)))
    sql = (
        f"SELECT * FROM read_csv(?, delim=?, compression=?, columns={{{columns}}}, "
        "auto_detect=false, header=true, quote='\"', escape='\"', strict_mode=true, "
        "nullstr='', allow_quoted_nulls=false, hive_partitioning=false)"
    )
    compression = "gzip" if file.gzipped else "none"
    parameters = [_escape_pattern(file.path), file.delimiter, compression]
    rows = _rows(path.name, file.names, sql, parameters, connection(str(scratch.folder)))
    return DuckDBTable("csv", rows, scratch, path=path)


def open_parquet(path: Path) -> Table:
    """Open a Parquet file: columns have the file's own types."""
    columns = names.check_names(path.name, _header(path))
    sql = "SELECT * FROM read_parquet(?, hive_partitioning=false)"
    return _open_parquet(path.name, columns, sql, [path], path)


def open_parquet_files(where: str, folder: Path, files: Sequence[Path]) -> Table:
    """Open files with the same columns as one table; folders like ``year=2024`` are columns."""
    headers = {_header(file) for file in files}
    if len(headers) > 1:
        problem = f"its {len(files)} files do not have the same columns"
        raise TableError(Fault(where, problem, "write them again with the same columns"))
    parts = files[0].relative_to(folder).parts[:-1]
    folders = [part.partition("=")[0] for part in parts if "=" in part]
    columns = names.check_names(where, [*headers.pop(), *folders])
    selected = ", ".join(f"c.{quote_name(name)}" for name in columns)
    sql = (
        f"SELECT {selected} FROM read_parquet(?, hive_partitioning={bool(folders)}, "
        "hive_types_autocast=false, union_by_name=true) c"
    )
    return _open_parquet(where, columns, sql, files, folder, pack=not folders)


def _open_parquet(
    where: str,
    columns: Sequence[str],
    sql: str,
    files: Sequence[Path],
    path: Path,
    pack: bool = True,
) -> Table:
    def open_in_duckdb(threads: int | None = None) -> DuckDBTable:
        scratch = ScratchFolder()
        own = connection(str(scratch.folder), threads=threads)
        rows = _rows(where, columns, sql, [[_escape_pattern(file) for file in files]], own)
        return DuckDBTable("parquet", rows, scratch, path=path)

    if not pack:
        return open_in_duckdb()
    from lookalike.tables.packed.packed_file import pack_if_possible

    return pack_if_possible(open_in_duckdb, files)


def _header(path: Path) -> tuple[str, ...]:
    """The column names of a Parquet file; DuckDB would rename names that occur twice."""
    import pyarrow.parquet as pq

    try:
        return tuple(pq.read_schema(path).names)
    except (pa.ArrowException, OSError):
        fix = "write the file again as Parquet"
        raise TableError(Fault(path.name, "it cannot be read as Parquet", fix)) from None


def _rows(
    where: str, columns: Sequence[str], sql: str, parameters: list[Any], own: Connection
) -> Rows:
    log_query(sql)
    with translate_errors(where):
        relation = own.sql(sql, params=parameters)
    return duckdb_rows(relation, columns, where, own)


def _escape_pattern(path: Path) -> str:
    """The path for DuckDB, which reads ``*``, ``?`` and ``[`` as patterns of file names."""
    return re.sub(r"([*?\[])", r"[\1]", str(path.absolute()))
