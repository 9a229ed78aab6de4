"""Files and DuckDB relations: rows never leave DuckDB until they are asked for."""

from __future__ import annotations

import re
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.counts.far import Far
from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.errors import Fault, TableError
from lookalike.tables import coding, counting, csv_file, names, writing
from lookalike.tables.choosing import chosen
from lookalike.tables.editing import released
from lookalike.tables.engine import LIMITS
from lookalike.tables.grouping import can_be_grouped, grouped
from lookalike.tables.relabelled import Labels, Words, masked_counts, relabelled, without
from lookalike.tables.rows import Rows, connection, log, numbered, quoted, said_plainly
from lookalike.tables.table import Edit, Table


class Workshop:
    """A private folder for what must lie on disk for a while; gone with the last table using it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lookalike-", dir=LIMITS.spill))  # mode 0700
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)


@dataclass(frozen=True, slots=True, eq=False)
class DuckTable:
    """A CSV or Parquet file, or a relation. Results are held by the engine, as computed once."""

    kind: str
    content: Rows
    workshop: Workshop | None = None
    given: duckdb.DuckDBPyRelation | None = field(default=None, repr=False)
    path: Path | None = None  # the file it was read from, which must never be written to

    @property
    def name(self) -> str:
        return self.content.where

    @property
    def columns(self) -> tuple[str, ...]:
        return self.content.names

    @property
    def types(self) -> Mapping[str, str]:
        return dict(zip(self.columns, self.content.kinds(), strict=True))

    def rows(self) -> int:
        sql = f"SELECT {self.content.tally} AS n FROM t"
        return int(self.content.fetch(sql).column("n")[0].as_py() or 0)

    def count_groups(self, names: Sequence[str], sensitive: Sequence[str] = ()) -> FrequencySet:
        return counting.count_groups(self.content, names, sensitive)

    def count_columns(self, names: Sequence[str]) -> FrequencySet:
        return coding.count_columns(self.content, names)

    def about(self, names: Sequence[str]) -> int:
        return coding.about(self.content, names)

    def coded(self, columns: FrequencySet, tables: Sequence[LevelTable]) -> Far:
        return coding.coded(self.content, columns, tables)

    def only(self, eligible: Mapping[str, Sequence[str]]) -> Table:
        if not eligible:
            return self
        return DuckTable(self.kind, chosen(self.content, eligible), self.workshop, path=self.path)

    def distinct_text(self, names: Sequence[str]) -> Any:
        return counting.distinct_text(self.content, names)

    def text_rows(self, names: Sequence[str], *, runs: bool = False) -> Any:
        return counting.text_rows(self.content, names, runs=runs)

    def fingerprint(self) -> tuple[int, ...]:
        return counting.fingerprint(self.content)

    def texts(self, name: str) -> Mapping[str | None, int]:
        return counting.texts(self.content, name)

    def relabelled(self, columns: Sequence[str], labels: Labels) -> Table:
        return DuckTable("text", relabelled(self.content, columns, labels), self.workshop)

    def masked_counts(self, words: Words, masks: Sequence[Sequence[int]]) -> list[Any]:
        return masked_counts(self.content, words, masks)

    def without(self, names: Sequence[str], gone: Any, *, star: bool) -> Table:
        return DuckTable("text", without(self.content, names, gone, star=star), self.workshop)

    def edit(self, edit: Edit) -> Table:
        if self.kind != "duckdb" and can_be_grouped(self.content, edit):
            content = grouped(self.content, edit)
        else:
            content = _rows(released(self.content, edit), edit.columns, self.name)
        return DuckTable(self.kind, content, self.workshop)

    def write(self, path: Path) -> None:
        writing.write(self.content, path)

    def native(self) -> Any:
        """A relation on the caller's connection; for files, a pyarrow table."""
        if self.kind == "duckdb":
            return self.content.named() if self.given is None else self.given
        with said_plainly(self.name):
            return self.content.named().to_arrow_table()


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
    relation = _relation(path, workshop, sql, parameters)
    return DuckTable("csv", _rows(relation, file.names, path.name), workshop, path=path)


def open_parquet(path: Path) -> Table:
    """Columns have the file's own types."""
    sql = "SELECT * FROM read_parquet(?, hive_partitioning=false)"
    found = names.checked(path.name, _header(path))
    workshop = Workshop()
    relation = _relation(path, workshop, sql, [_no_pattern(path)])
    return DuckTable("parquet", _rows(relation, found, path.name), workshop, path=path)


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
    workshop = Workshop()
    log.debug("%s", sql)
    with said_plainly(where):
        listed = [_no_pattern(one) for one in files]
        relation = connection(str(workshop.folder)).sql(sql, params=[listed])
    return DuckTable("parquet", _rows(relation, found, where), workshop, path=folder)


def open_relation(relation: duckdb.DuckDBPyRelation) -> Table:
    """The caller's relation, on the caller's connection, which is left as it was."""
    where = "duckdb"
    with said_plainly(where):
        found = names.checked(where, list(relation.columns))
    return DuckTable("duckdb", _rows(relation, found, where), given=relation)


def _relation(
    path: Path, workshop: Workshop, sql: str, parameters: list[str]
) -> duckdb.DuckDBPyRelation:
    """The file on a connection of its own, which lives as long as the relation."""
    log.debug("%s", sql)
    with said_plainly(path.name):
        return connection(str(workshop.folder)).sql(sql, params=parameters)


def _rows(relation: duckdb.DuckDBPyRelation, found: tuple[str, ...], where: str) -> Rows:
    return Rows(numbered(relation, len(found), where), found, where)


def _no_pattern(path: Path) -> str:
    """The path for DuckDB, to which ``*``, ``?`` and ``[`` are patterns of file names."""
    return re.sub(r"([*?\[])", r"[\1]", str(path.absolute()))
