"""ibis tables and Dask frames: the query runs once, and its rows are written to Parquet files.

So the table need not fit in memory. A release that is handed back as a frame has to fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import Fault, TableError
from lookalike.tables import column_names
from lookalike.tables.arrow_types import without_dictionaries
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import connection
from lookalike.tables.files.file_reading import open_parquet_files
from lookalike.tables.files.file_writing import translate_disk_errors
from lookalike.tables.files.scratch_folder import ScratchFolder
from lookalike.tables.frames.arrow_columns import arrow_column
from lookalike.tables.table import Edit, Table
from lookalike.tables.wrapped_table import WrappedTable

MIN_FILE_ROWS = 1 << 18  # smaller batches are written together


@dataclass(frozen=True, slots=True, eq=False)
class LazyTable(WrappedTable):
    """Rows in private Parquet files, and how they become a frame again."""

    kind: str
    inner: Table = field(repr=False)
    scratch: ScratchFolder = field(repr=False)
    # from an Arrow table, and the names of the columns that have their original type
    to_frame: Callable[[Any, frozenset[str]], Any] = field(repr=False)
    original: Any = field(default=None, repr=False)
    unchanged: frozenset[str] = frozenset()  # columns that have their original type
    path: None = None  # not a file

    @property
    def name(self) -> str:
        return self.kind

    def eligible_rows(self, eligible: Mapping[str, Sequence[str]]) -> Table:
        if not eligible:
            return self
        return replace(self, inner=self.inner.eligible_rows(eligible), original=None)

    def edit(self, edit: Edit) -> Table:
        kept = {name for name in edit.columns if not edit.is_relabeled(name)}
        unchanged = self.unchanged & kept
        return replace(self, inner=self.inner.edit(edit), original=None, unchanged=unchanged)

    def native(self) -> Any:
        if self.original is not None:
            return self.original
        return self.to_frame(pa.concat_tables(self.inner.batches()), self.unchanged)


def open_ibis(source: Any) -> Table:
    """Open an ibis table of any backend: its query runs once."""
    columns = column_names.check_names("ibis", list(source.columns))

    def batches() -> Iterator[Any]:
        with _reader(source) as reader:
            yield _arrow(reader.schema.empty_table(), "pyarrow", columns)
            for batch in reader:
                yield _arrow(pa.Table.from_batches([batch]), "pyarrow", columns)

    return _open("ibis", source, columns, batches(), _memtable)


def _reader(source: Any) -> Any:
    """Read the rows in batches.

    ibis 12 calls a method that DuckDB 2 does not have, and leaves the caller's connection in the
    middle of a query. So DuckDB is called directly.
    """
    backend = source.get_backend()
    if backend.name == "duckdb" and not hasattr(backend.con, "fetch_record_batch"):
        return backend._to_duckdb_relation(source).to_arrow_reader(MIN_FILE_ROWS)
    return source.to_pyarrow_batches(chunk_size=MIN_FILE_ROWS)


def open_dask(source: Any) -> Table:
    """Open a Dask DataFrame: partitions are computed one by one, and the index is left out.

    Dask repeats work that partitions share, such as a shuffle: ``persist`` such a frame first.
    """
    columns = column_names.check_names("dask", list(source.columns))

    def batches() -> Iterator[Any]:
        for i in range(source.npartitions):
            rows = source.partitions[i].compute()
            objects = {name for name in columns if rows[name].dtype == object}
            yield _without_type_if_null(_arrow(rows, "pandas", columns), objects)

    meta, partitions = source._meta.iloc[:0].copy(), source.npartitions

    def to_frame(table: Any, unchanged: frozenset[str]) -> Any:
        return _dask(table, {name: meta[name].dtype for name in unchanged}, partitions)

    return _open("dask", source, columns, batches(), to_frame)


def _open(
    kind: str,
    source: Any,
    columns: tuple[str, ...],
    batches: Iterable[Any],
    to_frame: Callable[[Any, frozenset[str]], Any],
) -> Table:
    scratch = ScratchFolder()
    folder = scratch.folder / "rows"
    folder.mkdir(mode=0o700)
    files = _write_files(kind, folder, _translate_query_errors(kind, batches))
    inner = open_parquet_files(kind, folder, files)
    return LazyTable(kind, inner, scratch, to_frame, source, frozenset(columns))


def _translate_query_errors(kind: str, batches: Iterable[Any]) -> Iterator[Any]:
    """An error of the caller's own query may quote rows: only its class is shown."""
    try:
        yield from batches
    except TableError:
        raise
    except Exception as error:
        problem = f"its query fails ({type(error).__name__})"
        raise TableError(Fault(kind, problem, "run the query by itself to see why")) from None


def _arrow(native: Any, kind: str, columns: Sequence[str]) -> Any:
    """Some rows in types that DuckDB has."""
    return pa.table({name: arrow_column(native, kind, name) for name in columns})


def _without_type_if_null(rows: Any, names: set[str]) -> Any:
    """Columns of Python objects that are all null have no type."""
    for i, name in enumerate(rows.column_names):
        if name in names and rows.column(i).null_count == len(rows):
            rows = rows.set_column(i, name, pa.nulls(len(rows)))
    return rows


def _write_files(kind: str, folder: Path, batches: Iterable[Any]) -> list[Path]:
    """Write Parquet files with the same column types."""
    files: list[Path] = []
    schemas: list[Any] = []
    for rows in _merge_small(batches):
        files.append(folder / f"{len(files):06d}.parquet")
        schemas.append(rows.schema)
        _write_file(kind, rows, files[-1])
    common = _common_schema(kind, schemas)
    for file, schema in zip(files, schemas, strict=True):
        if schema != common:
            with translate_errors(kind):
                rows = pq.read_table(file)
                rows = pa.table([_cast(rows.column(f.name), f.type) for f in common], schema=common)
            _write_file(kind, rows, file)
    return files


def _cast(column: Any, kind: Any) -> Any:
    all_null = column.null_count == len(column)
    return pa.nulls(len(column), kind) if all_null else column.cast(kind)


def _merge_small(batches: Iterable[Any]) -> Iterator[Any]:
    """Merge small batches of the same types; yield at least one."""
    waiting: list[Any] = []
    for batch in batches:
        enough = sum(map(len, waiting)) >= MIN_FILE_ROWS
        if waiting and (enough or batch.schema != waiting[0].schema):
            yield pa.concat_tables(waiting)
            waiting = []
        waiting.append(batch)
    yield pa.concat_tables(waiting)


def _write_file(kind: str, rows: Any, file: Path) -> None:
    """By DuckDB, so that every type is what it would be in a frame."""
    plain = without_dictionaries(rows)
    with translate_errors(kind), translate_disk_errors(Path(kind)):
        connection().from_arrow(plain).write_parquet(str(file), compression="zstd")


def _common_schema(kind: str, schemas: Sequence[Any]) -> Any:
    """The type that each column has in all files; a column without any cell is text."""
    fields, faults = [], []
    for name in schemas[0].names:
        types = {schema.field(name).type for schema in schemas}
        types = {type_ for type_ in types if not pa.types.is_null(type_)} or {pa.string()}
        if len(types) > 1 and all(map(pa.types.is_decimal, types)):
            scale = max(decimal.scale for decimal in types)
            whole = max(decimal.precision - decimal.scale for decimal in types)
            types = {pa.decimal128(min(38, whole + scale), scale)}
        if len(types) > 1:
            problem = f"its type is not the same in all partitions of the {kind} table"
            faults.append(Fault(name, problem, "give it one type: frame.astype({…})"))
        fields.append((name, types.pop()))
    if faults:
        raise TableError(faults)
    return pa.schema(fields)


def _memtable(table: Any, unchanged: frozenset[str]) -> Any:
    return import_module("ibis").memtable(table)


def _dask(table: Any, types: Mapping[str, Any], max_partitions: int) -> Any:
    """A Dask frame of the released rows; its divisions are unknown, since it has no index."""
    import pandas as pd

    columns = {name: _series(table.column(name), types.get(name)) for name in table.column_names}
    frame = pd.DataFrame(columns, columns=table.column_names)
    parts = max(1, min(max_partitions, len(frame)))
    dask = import_module("dask.dataframe")
    return dask.from_pandas(frame, npartitions=parts, sort=False).clear_divisions()


def _series(column: Any, kind: Any) -> Any:
    """A pandas column, of this type if possible."""
    import pandas as pd

    plain = column.to_pandas()
    if kind is None:
        return plain
    if isinstance(kind, pd.CategoricalDtype):
        return _categories(plain, kind)
    try:
        if hasattr(kind, "__from_arrow__"):
            return pd.Series(kind.__from_arrow__(column))
        return plain.astype(kind)
    except (pa.ArrowException, TypeError, ValueError, NotImplementedError):
        return plain


def _categories(plain: Any, kind: Any) -> Any:
    """Only the categories of released rows; sorted, unless they have an order of their own."""
    present = plain.dropna().unique().tolist()
    known = [category for category in kind.categories if category in set(present)]
    ordered = bool(kind.ordered) and len(known) == len(present)
    try:
        categories = known if ordered else sorted(present)
    except TypeError:  # several types have no order
        return plain
    return plain.astype(type(kind)(categories, ordered=ordered))
