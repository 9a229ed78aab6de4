"""pandas, polars and pyarrow frames: counted in DuckDB, edited by taking rows of the frame itself.

What a release keeps is taken from the frame as it is, so types and values stay exactly as they
were; only labels are new.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from narwhals import dependencies as is_a
from numpy.typing import NDArray

from lookalike.errors import Fault, TableError
from lookalike.tables import column_names
from lookalike.tables.duckdb.engine import arrow_batches, duckdb_rows
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import Connection, connection
from lookalike.tables.duckdb.table import DuckDBTable
from lookalike.tables.files.file_writing import write_rows
from lookalike.tables.frames.arrow_columns import arrow_column
from lookalike.tables.frames.arrow_views import check_no_views, with_views, without_views
from lookalike.tables.frames.hidden_contents import remove_hidden_contents
from lookalike.tables.sql.relation import Rows
from lookalike.tables.sql.row_recoding import recode_rows
from lookalike.tables.sql.sql_table import SqlTable, choose_eligible
from lookalike.tables.table import Edit, Table

_ROW = ""  # the column of row numbers; no frame has a column of this name


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable(SqlTable):
    """An eager frame; a lazy one is collected when opened, and lazy again when handed back."""

    kind: str
    frame: nw.DataFrame[Any]
    arrow: dict[str, Any] = field(default_factory=dict, repr=False)  # columns converted so far
    path: None = None  # not a file
    database: Connection = field(default_factory=connection, repr=False)
    views: Mapping[str, Any] = field(default_factory=dict, repr=False)  # Arrow types (arrow_views)

    @property
    def name(self) -> str:
        return self.kind

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.frame.columns)

    @property
    def types(self) -> Mapping[str, str]:
        native = nw.to_native(self.frame)
        if self.kind == "pyarrow":
            own = {field.name: field.type for field in native.schema} | dict(self.views)
            return {name: str(own[name]) for name in self.columns}
        return {name: str(native[name].dtype) for name in self.columns}

    def rows(self) -> int:
        return len(self.frame)

    def with_content(self, content: Rows, kind: str | None = None) -> DuckDBTable:
        return DuckDBTable(kind or self.kind, content)

    def eligible_rows(self, eligible: Mapping[str, Sequence[str]]) -> Table:
        if not eligible:
            return self
        rows = choose_eligible(self.select(tuple(eligible), row_numbers=True), eligible)
        (at,) = rows.positions([_ROW])
        kept = np.sort(rows.fetch(f"SELECT c{at} AS n FROM t").column("n").to_numpy())
        return self.take(kept)

    def take(self, places: NDArray[np.int64]) -> FrameTable:
        """The rows at these places."""
        return FrameTable(self.kind, nw.maybe_reset_index(self.frame[places]), views=self.views)

    def edit(self, edit: Edit) -> Table:
        content = self.select([*edit.columns, *edit.recodings], row_numbers=True)
        result = recode_rows(content, edit, carried=_ROW).fetch("SELECT * FROM t")
        made = []
        for i, name in enumerate(edit.columns):
            if edit.is_relabeled(name):
                made.append(self._from_arrow(name, result.column(i).cast(pa.string())))
            elif name in edit.recodings and self._has_equal_forms(name):
                # its own values, but NaN and null, 0.0 and -0.0, 1 and "1" must not differ
                made.append(self._in_own_type(name, result.column(i)))
        kept = self.frame.select(edit.columns)[result.column(len(edit.columns)).to_numpy()]
        kept = nw.maybe_reset_index(kept)
        if made:
            kept = kept.with_columns(*made).select(edit.columns)
        bare = remove_hidden_contents(nw.to_native(kept), self.kind.removesuffix("-lazy"))
        views = {
            name: kind
            for name, kind in self.views.items()
            if name in edit.columns and not edit.is_relabeled(name)
        }
        return FrameTable(self.kind, nw.from_native(bare, eager_only=True), views=views)

    def _has_equal_forms(self, name: str) -> bool:
        """May the column hold cells that count as equal but look different?"""
        kind = self.frame.schema[name]
        return kind.is_float() or kind == nw.Object

    def _in_own_type(self, name: str, values: Any) -> nw.Series[Any]:
        """Arrow values in the type of the frame's own column; mixed types have become text."""
        before = nw.to_native(self.frame[name])
        if self.kind == "pandas":
            plain = values.to_pylist() if before.dtype == object else values.to_pandas()
            series = type(before)(plain, dtype=before.dtype, name=name)
            return nw.from_native(series, series_only=True)
        made = self._from_arrow(name, values)
        kind = self.frame.schema[name]
        return made if kind == nw.Object else made.cast(kind)

    def _from_arrow(self, name: str, values: Any) -> nw.Series[Any]:
        return nw.from_arrow(pa.table({name: values}), backend=self.frame.implementation)[name]

    def write(self, path: Path) -> None:
        write_rows(self.select(self.columns), path)

    def batches(self) -> Iterator[Any]:
        return arrow_batches(self.select(self.columns))

    def native(self) -> Any:
        native = nw.to_native(self.frame)
        if self.kind == "pyarrow":
            return with_views(native, self.views)
        return native.lazy() if self.kind == "polars-lazy" else native

    def select(self, names: Sequence[str], row_numbers: bool = False) -> Rows:
        """These columns in DuckDB, each converted only once, and if wanted the row numbers."""
        asked = tuple(dict.fromkeys(names))
        column_names.positions(self.columns, asked, self.name)
        native = nw.to_native(self.frame)
        kind = self.kind.removesuffix("-lazy")
        for name in asked:
            if name not in self.arrow:
                self.arrow[name] = arrow_column(native, kind, name)
        columns = [self.arrow[name] for name in asked]
        if row_numbers or not columns:  # counting rows needs a column
            columns.append(pa.array(np.arange(len(self.frame))))
            asked = (*asked, _ROW)
        table = pa.table(columns, names=[f"c{i}" for i in range(len(columns))])
        with translate_errors(self.name):
            relation = self.database.from_arrow(table)
        return duckdb_rows(relation, asked, self.name)


def open_frame(source: Any) -> Table:
    """Open a pandas, polars (eager or lazy) or pyarrow frame."""
    if is_a.is_polars_lazyframe(source):
        try:
            return _checked("polars-lazy", source.collect())
        except TableError:
            raise
        except Exception as error:  # the caller's own query may raise anything
            problem = f"its query fails ({type(error).__name__})"
            raise TableError(Fault("polars-lazy", problem, "collect it first to see why")) from None
    if is_a.is_pyarrow_table(source):
        return _checked("pyarrow", source)
    return _checked("polars" if is_a.is_polars_dataframe(source) else "pandas", source)


def _checked(kind: str, native: Any) -> Table:
    columns = native.column_names if kind == "pyarrow" else list(native.columns)
    column_names.check_names(kind, columns)
    views: Mapping[str, Any] = {}
    if kind == "pyarrow":
        native, views = without_views(native)
    elif kind == "pandas":
        check_no_views(native)
    return FrameTable(kind, nw.from_native(native, eager_only=True), views=views)
