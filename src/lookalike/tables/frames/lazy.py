"""ibis tables and Dask frames: queries whose rows are laid down once, and then read as Parquet.

So a table that does not fit in memory will do. What is handed back, of the kind that came in, does
have to fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import RemoteCounts
from lookalike.errors import Fault, TableError
from lookalike.tables import column_names
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import connection
from lookalike.tables.files.file_reading import open_parquet_files
from lookalike.tables.files.file_writing import room
from lookalike.tables.files.scratch_folder import ScratchFolder
from lookalike.tables.frames.arrow_columns import arrow_column
from lookalike.tables.table import Edit, LabeledRows, Labels, Table, Words

STRETCH = 1 << 18  # rows of a file, at least


@dataclass(frozen=True, slots=True, eq=False)
class LazyTable:
    """Rows in Parquet files of our own, and how they turn into a frame again."""

    kind: str
    inner: Table = field(repr=False)
    scratch: ScratchFolder = field(repr=False)
    # from an Arrow table, and the names of the columns that hold what they held
    back: Callable[[Any, frozenset[str]], Any] = field(repr=False)
    given: Any = field(default=None, repr=False)
    own: frozenset[str] = frozenset()
    path: None = None  # a frame is no file

    @property
    def name(self) -> str:
        return self.kind

    @property
    def columns(self) -> tuple[str, ...]:
        return self.inner.columns

    @property
    def types(self) -> Mapping[str, str]:
        return self.inner.types

    def rows(self) -> int:
        return self.inner.rows()

    def count_groups(self, names: Sequence[str], sensitive: Sequence[str] = ()) -> FrequencySet:
        return self.inner.count_groups(names, sensitive)

    def count_columns(self, names: Sequence[str]) -> FrequencySet:
        return self.inner.count_columns(names)

    def estimate_groups(self, names: Sequence[str]) -> int:
        return self.inner.estimate_groups(names)

    def remote_counts(self, columns: FrequencySet, tables: Sequence[LevelTable]) -> RemoteCounts:
        return self.inner.remote_counts(columns, tables)

    def eligible_rows(self, eligible: Mapping[str, Sequence[str]]) -> Table:
        if not eligible:
            return self
        return replace(self, inner=self.inner.eligible_rows(eligible), given=None)

    def distinct_text(self, names: Sequence[str]) -> Any:
        return self.inner.distinct_text(names)

    def text_rows(self, names: Sequence[str]) -> Any:
        return self.inner.text_rows(names)

    def count_out_of_order(self) -> list[tuple[int, int | None]]:
        return self.inner.count_out_of_order()

    def fingerprint(self) -> tuple[int, ...]:
        return self.inner.fingerprint()

    def text_codes(self, name: str) -> Mapping[str | None, int]:
        return self.inner.text_codes(name)

    def with_labels(self, columns: Sequence[str], labels: Labels) -> LabeledRows:
        return self.inner.with_labels(columns, labels)

    def masked_counts(self, words: Words, masks: Sequence[Sequence[int]]) -> list[Any]:
        return self.inner.masked_counts(words, masks)

    def rows_in_small_groups(
        self, words: Words, masks: Sequence[Sequence[int]], size: int, enough: int
    ) -> list[int]:
        return self.inner.rows_in_small_groups(words, masks, size, enough)

    def prepare_release(self) -> None:
        self.inner.prepare_release()

    def free_memory(self) -> None:
        self.inner.free_memory()

    def edit(self, edit: Edit) -> Table:
        own = self.own & {name for name in edit.columns if not edit.is_relabeled(name)}
        return replace(self, inner=self.inner.edit(edit), given=None, own=own)

    def write(self, path: Path) -> None:
        self.inner.write(path)

    def batches(self) -> Iterator[Any]:
        return self.inner.batches()

    def native(self) -> Any:
        if self.given is not None:
            return self.given
        return self.back(pa.concat_tables(self.inner.batches()), self.own)


def open_ibis(source: Any) -> Table:
    """An ibis table of any backend: its query runs once."""
    columns = column_names.checked("ibis", list(source.columns))

    def batches() -> Iterator[Any]:
        with _reader(source) as reader:
            yield _arrow(reader.schema.empty_table(), "pyarrow", columns)
            for batch in reader:
                yield _arrow(pa.Table.from_batches([batch]), "pyarrow", columns)

    return _opened("ibis", source, columns, batches(), _memtable)


def _reader(source: Any) -> Any:
    """The rows as they come. ibis 12 asks DuckDB for them by a name that DuckDB 2 does not have,
    and leaves the caller's connection in the middle of a query: so DuckDB is asked here.
    """
    backend = source.get_backend()
    if backend.name == "duckdb" and not hasattr(backend.con, "fetch_record_batch"):
        return backend._to_duckdb_relation(source).to_arrow_reader(STRETCH)
    return source.to_pyarrow_batches(chunk_size=STRETCH)


def open_dask(source: Any) -> Table:
    """A Dask DataFrame, computed one partition after another; its index is left out.

    What the partitions have in common, as a shuffle, Dask computes again for each: ``persist`` such
    a frame first.
    """
    columns = column_names.checked("dask", list(source.columns))

    def batches() -> Iterator[Any]:
        for i in range(source.npartitions):
            rows = source.partitions[i].compute()
            untold = {name for name in columns if rows[name].dtype == object}
            yield _untold(_arrow(rows, "pandas", columns), untold)

    meta, most = source._meta.iloc[:0].copy(), source.npartitions

    def back(table: Any, own: frozenset[str]) -> Any:
        return _dask(table, {name: meta[name].dtype for name in own}, most)

    return _opened("dask", source, columns, batches(), back)


def _opened(
    kind: str,
    source: Any,
    columns: tuple[str, ...],
    batches: Iterable[Any],
    back: Callable[[Any, frozenset[str]], Any],
) -> Table:
    scratch = ScratchFolder()
    folder = scratch.folder / "rows"
    folder.mkdir(mode=0o700)
    files = _laid_down(kind, folder, _guarded(kind, batches))
    inner = open_parquet_files(kind, folder, files)
    return LazyTable(kind, inner, scratch, back, source, frozenset(columns))


def _guarded(kind: str, batches: Iterable[Any]) -> Iterator[Any]:
    """Whatever the caller's own query raises may quote rows: only the kind of error is told."""
    coming = iter(batches)
    while True:
        try:
            batch = next(coming)
        except StopIteration:
            return
        except TableError:
            raise
        except Exception as error:
            problem = f"its query does not run ({type(error).__name__})"
            fix = "run it to its end by itself and see"
            raise TableError(Fault(kind, problem, fix)) from None
        yield batch


def _arrow(native: Any, kind: str, columns: Sequence[str]) -> Any:
    """A stretch of rows in types that DuckDB has."""
    return pa.table({name: arrow_column(native, kind, name) for name in columns})


def _untold(rows: Any, names: set[str]) -> Any:
    """Python objects have a type only where there are some."""
    for i, name in enumerate(rows.column_names):
        if name in names and rows.column(i).null_count == len(rows):
            rows = rows.set_column(i, name, pa.nulls(len(rows)))
    return rows


def _laid_down(kind: str, folder: Path, batches: Iterable[Any]) -> list[Path]:
    """Files of the same types."""
    files: list[Path] = []
    schemas: list[Any] = []
    for rows in _gathered(batches):
        files.append(folder / f"{len(files):06d}.parquet")
        schemas.append(rows.schema)
        _lay_down(kind, rows, files[-1])
    common = _common(kind, schemas)
    for file, schema in zip(files, schemas, strict=True):
        if schema != common:
            with translate_errors(kind):
                rows = pq.read_table(file)
                rows = pa.table([_as(rows.column(f.name), f.type) for f in common], schema=common)
            _lay_down(kind, rows, file)
    return files


def _as(column: Any, kind: Any) -> Any:
    nothing = column.null_count == len(column)
    return pa.nulls(len(column), kind) if nothing else column.cast(kind)


def _gathered(batches: Iterable[Any]) -> Iterator[Any]:
    """Small ones of the same types together; one at least."""
    waiting: list[Any] = []
    for batch in batches:
        enough = sum(map(len, waiting)) >= STRETCH
        if waiting and (enough or batch.schema != waiting[0].schema):
            yield pa.concat_tables(waiting)
            waiting = []
        waiting.append(batch)
    yield pa.concat_tables(waiting)


def _lay_down(kind: str, rows: Any, file: Path) -> None:
    """By DuckDB, so that every type is what it would be in a frame."""
    nulls = [pa.types.is_null(one) for one in rows.schema.types]
    kinds = [pa.string() if null else f.type for null, f in zip(nulls, rows.schema, strict=True)]
    rows = rows.cast(pa.schema(list(zip(rows.column_names, kinds, strict=True))))
    with translate_errors(kind), room(Path(kind)):
        connection().from_arrow(rows).write_parquet(str(file), compression="zstd")


def _common(kind: str, schemas: Sequence[Any]) -> Any:
    """The type of each column: that of all rows, where there is any to tell."""
    fields, faults = [], []
    for name in schemas[0].names:
        found = {schema.field(name).type for schema in schemas}
        told = {one for one in found if not pa.types.is_null(one)} or {pa.string()}
        if len(told) > 1 and all(pa.types.is_decimal(one) for one in told):
            scale = max(one.scale for one in told)
            whole = max(one.precision - one.scale for one in told)
            told = {pa.decimal128(min(38, whole + scale), scale)}
        if len(told) > 1:
            problem = f"{kind} has it with another type in some partitions than in others"
            faults.append(Fault(name, problem, "give it one type: frame.astype({…})"))
        fields.append((name, told.pop()))
    if faults:
        raise TableError(faults)
    return pa.schema(fields)


def _memtable(table: Any, own: frozenset[str]) -> Any:
    return import_module("ibis").memtable(table)


def _dask(table: Any, kinds: Mapping[str, Any], most: int) -> Any:
    """As many partitions as there were, or fewer, of released rows alone: their divisions are
    unknown, as of any frame without an index.
    """
    import pandas as pd

    columns = {name: _series(table.column(name), kinds.get(name)) for name in table.column_names}
    frame = pd.DataFrame(columns, columns=table.column_names)
    parts = max(1, min(most, len(frame)))
    dask = import_module("dask.dataframe")
    return dask.from_pandas(frame, npartitions=parts, sort=False).clear_divisions()


def _series(column: Any, kind: Any) -> Any:
    """A column of pandas, of this type if the cells can be."""
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
    """Those that released rows have; sorted, unless they have an order of their own."""
    held = plain.dropna().unique().tolist()
    known = [one for one in kind.categories if one in set(held)]
    ordered = bool(kind.ordered) and len(known) == len(held)
    try:
        listed = known if ordered else sorted(held)
    except TypeError:  # of several types, which have no order
        return plain
    return plain.astype(type(kind)(listed, ordered=ordered))
