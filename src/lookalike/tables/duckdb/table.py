"""Files and DuckDB relations: rows never leave DuckDB until they are asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import Fault, TableError
from lookalike.tables import column_names as names
from lookalike.tables.duckdb.engine import (
    arrow_batches,
    connection,
    duck_rows,
    each,
    named,
    translate_errors,
)
from lookalike.tables.files import csv_format as csv_file
from lookalike.tables.files import file_writing as writing
from lookalike.tables.files.scratch_folder import Workshop
from lookalike.tables.sql import group_counts as counting
from lookalike.tables.sql.distinct_rows import can_be_grouped, grouped
from lookalike.tables.sql.relation import Rows, log, quoted, without_literals
from lookalike.tables.sql.row_recoding import released
from lookalike.tables.sql.sql_table import SqlTable
from lookalike.tables.table import Edit, Table


@dataclass(frozen=True, slots=True, eq=False)
class DuckTable(SqlTable):
    """A CSV or Parquet file, or a relation. Results are held by the engine, as computed once."""

    kind: str
    content: Rows
    workshop: Workshop | None = None
    given: duckdb.DuckDBPyRelation | None = field(default=None, repr=False)
    path: Path | None = None  # the file it was read from, which must never be written to

    def also(self, content: Rows, kind: str | None = None) -> DuckTable:
        path = None if kind else self.path
        return DuckTable(kind or self.kind, content, self.workshop, path=path)

    def text_rows(self, names: Sequence[str]) -> Any:
        return counting.text_rows(each(self.content), names)

    def edit(self, edit: Edit) -> Table:
        rows = each(self.content)  # which may be the outcome of an edit
        if self.kind != "duckdb" and can_be_grouped(rows, edit):
            content = grouped(rows, edit)
        else:
            content = released(rows, edit)
        return DuckTable(self.kind, content, self.workshop)

    def write(self, path: Path) -> None:
        writing.write(self.content, path)

    def batches(self) -> Iterator[Any]:
        return arrow_batches(self.content)

    def native(self) -> Any:
        """A relation on the caller's connection; for files, a pyarrow table."""
        if self.kind == "duckdb":
            return named(self.content) if self.given is None else self.given
        with translate_errors(self.name):
            return named(self.content).to_arrow_table()


def open_csv(path: Path) -> Table:
    """Every column is text; an empty field is null and ``""`` is the empty text."""
    workshop = Workshop()
    file = csv_file.inspect(path, workshop.folder)
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(file.names)))
    sql = (
        f"SELECT * FROM read_csv(?, delim=?, compression=?, columns={{{columns}}}, "
        "auto_detect=false, header=true, quote='\"', escape='\"', strict_mode=true, "
        "nullstr='', allow_quoted_nulls=false, hive_partitioning=false)"
    )
    compression = "gzip" if file.gzipped else "none"
    parameters = [_no_pattern(file.path), file.delimiter, compression]
    rows = _rows(path.name, file.names, sql, parameters, connection(str(workshop.folder)))
    return DuckTable("csv", rows, workshop, path=path)


def open_parquet(path: Path) -> Table:
    """Columns have the file's own types."""
    sql = "SELECT * FROM read_parquet(?, hive_partitioning=false)"
    found = names.checked(path.name, _header(path))

    def opened(threads: int | None = None) -> DuckTable:
        workshop = Workshop()
        own = connection(str(workshop.folder), threads=threads)
        rows = _rows(path.name, found, sql, [_no_pattern(path)], own)
        return DuckTable("parquet", rows, workshop, path=path)

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

    def opened(threads: int | None = None) -> DuckTable:
        workshop = Workshop()
        own = connection(str(workshop.folder), threads=threads)
        rows = _rows(where, found, sql, [[_no_pattern(one) for one in files]], own)
        return DuckTable("parquet", rows, workshop, path=folder)

    return opened() if folders else _coded(opened, files)


def _coded(opened: Callable[[int | None], DuckTable], files: Sequence[Path]) -> Table:
    from lookalike.tables.packed.table import coded_if_fit

    return coded_if_fit(opened, files)


def open_relation(relation: duckdb.DuckDBPyRelation) -> Table:
    """The caller's relation, on the caller's connection, which is left as it was."""
    where = "duckdb"
    with translate_errors(where):
        found = names.checked(where, list(relation.columns))
    return DuckTable("duckdb", duck_rows(relation, found, where), given=relation)


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
    return duck_rows(relation, found, where, own)


def _no_pattern(path: Path) -> str:
    """The path for DuckDB, to which ``*``, ``?`` and ``[`` are patterns of file names."""
    return re.sub(r"([*?\[])", r"[\1]", str(path.absolute()))
