"""pandas, polars and pyarrow frames: counted in DuckDB, edited by taking rows of the frame itself.

What a release keeps is taken from the frame as it is, so types and values stay exactly as they
were; only labels are new.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pyarrow as pa
from narwhals import dependencies as is_a

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import RemoteCounts
from lookalike.errors import Fault, TableError
from lookalike.tables import column_names
from lookalike.tables.duckdb.engine import arrow_batches, duckdb_rows
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import connection
from lookalike.tables.duckdb.table import DuckDBTable
from lookalike.tables.files import file_writing as writing
from lookalike.tables.frames.arrow_columns import arrow_column
from lookalike.tables.frames.hidden_contents import trimmed
from lookalike.tables.sql import group_counts as counting
from lookalike.tables.sql import row_codes as coding
from lookalike.tables.sql import row_order as ordering
from lookalike.tables.sql.eligible_rows import chosen
from lookalike.tables.sql.relation import Rows
from lookalike.tables.sql.row_recoding import released
from lookalike.tables.sql.text_recoding import (
    masked_counts,
    rows_in_small_groups,
    with_labels,
)
from lookalike.tables.table import Edit, LabeledRows, Labels, Table, Words

_ROW = ""  # the column of row numbers; no frame has a column of this name


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable:
    """An eager frame; a lazy one is collected when opened and lazy again when handed back."""

    kind: str
    frame: nw.DataFrame[Any]
    arrow: dict[str, Any] = field(default_factory=dict, repr=False)  # columns met so far
    path: None = None  # a frame is no file
    engine: duckdb.DuckDBPyConnection = field(default_factory=connection, repr=False)

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
            return {name: str(native.schema.field(name).type) for name in self.columns}
        return {name: str(native[name].dtype) for name in self.columns}

    def rows(self) -> int:
        return len(self.frame)

    def count_groups(self, names: Sequence[str], sensitive: Sequence[str] = ()) -> FrequencySet:
        return counting.count_groups(self._rows([*names, *sensitive]), names, sensitive)

    def count_columns(self, names: Sequence[str]) -> FrequencySet:
        return coding.count_columns(self._rows(names), names)

    def estimate_groups(self, names: Sequence[str]) -> int:
        return coding.estimate_groups(self._rows(names), names)

    def remote_counts(self, columns: FrequencySet, tables: Sequence[LevelTable]) -> RemoteCounts:
        return coding.remote_counts(self._rows(columns.names), columns, tables)

    def eligible_rows(self, eligible: Mapping[str, Sequence[str]]) -> Table:
        if not eligible:
            return self
        rows = chosen(self._rows(tuple(eligible), numbers=True), eligible)
        (at,) = rows.at([_ROW])
        kept = np.sort(rows.fetch(f"SELECT c{at} AS n FROM t").column("n").to_numpy())
        return FrameTable(self.kind, nw.maybe_reset_index(self.frame[kept]))

    def distinct_text(self, names: Sequence[str]) -> Any:
        return counting.distinct_text(self._rows(names), names)

    def text_rows(self, names: Sequence[str]) -> Any:
        return counting.text_rows(self._rows(names), names)

    def count_out_of_order(self) -> list[tuple[int, int | None]]:
        return ordering.count_out_of_order(self._rows(self.columns))

    def fingerprint(self) -> tuple[int, ...]:
        rows = self._rows(self.columns)
        return rows.engine.fingerprint(rows)

    def text_codes(self, name: str) -> Mapping[str | None, int]:
        return counting.text_codes(self._rows([name]), name)

    def with_labels(self, columns: Sequence[str], labels: Labels) -> LabeledRows:
        return DuckDBTable("text", with_labels(self._rows(columns), columns, labels))

    def masked_counts(self, words: Words, masks: Sequence[Sequence[int]]) -> list[Any]:
        names = [name for word in words for name in word]
        return masked_counts(self._rows(names), words, masks)

    def rows_in_small_groups(
        self, words: Words, masks: Sequence[Sequence[int]], size: int, enough: int
    ) -> list[int]:
        names = [name for word in words for name in word]
        return rows_in_small_groups(self._rows(names), words, masks, size)

    def prepare_release(self) -> None:
        """Nothing is done ahead."""

    def free_memory(self) -> None:
        """Nothing is kept here."""

    def edit(self, edit: Edit) -> Table:
        content = self._rows([*edit.columns, *edit.recodings], numbers=True)
        held = released(content, edit, carried=_ROW)
        result = held.fetch("SELECT * FROM t")
        new = {
            name: result.column(i).cast(pa.string())
            for i, name in enumerate(edit.columns)
            if edit.is_relabeled(name)
        }
        one_form = {  # its own values, but NaN and null, 0.0 and -0.0, 1 and "1" must not differ
            name: result.column(i)
            for i, name in enumerate(edit.columns)
            if name in edit.recodings and name not in new and self._has_twins(name)
        }
        kept = self.frame.select(edit.columns)[result.column(len(edit.columns)).to_numpy()]
        kept = nw.maybe_reset_index(kept)
        if new or one_form:
            made = [self._from_arrow(name, labels) for name, labels in new.items()]
            made += [self._as_before(name, values) for name, values in one_form.items()]
            kept = kept.with_columns(*made).select(edit.columns)
        bare = trimmed(nw.to_native(kept), self.kind.removesuffix("-lazy"))
        return FrameTable(self.kind, nw.from_native(bare, eager_only=True))

    def _has_twins(self, name: str) -> bool:
        """May the column hold cells that count as equal and yet differ?"""
        kind = self.frame.schema[name]
        return kind.is_float() or kind == nw.Object

    def _as_before(self, name: str, values: Any) -> nw.Series[Any]:
        """Arrow values in the type of the frame's own column; of mixed types, text by now."""
        before = nw.to_native(self.frame[name])
        if self.kind == "pandas":
            plain = values.to_pylist() if before.dtype == object else values.to_pandas()
            return nw.from_native(
                type(before)(plain, dtype=before.dtype, name=name), series_only=True
            )
        made = self._from_arrow(name, values)
        kind = self.frame.schema[name]
        return made if kind == nw.Object else made.cast(kind)

    def _from_arrow(self, name: str, values: Any) -> nw.Series[Any]:
        return nw.from_arrow(pa.table({name: values}), backend=self.frame.implementation)[name]

    def write(self, path: Path) -> None:
        writing.write(self._rows(self.columns), path)

    def batches(self) -> Iterator[Any]:
        return arrow_batches(self._rows(self.columns))

    def native(self) -> Any:
        native = nw.to_native(self.frame)
        return native.lazy() if self.kind == "polars-lazy" else native

    def in_duckdb(self, names: Sequence[str]) -> Rows:
        """The asked columns as they are counted; a column that was met before is not made anew."""
        return self._rows(names)

    def _rows(self, names: Sequence[str], numbers: bool = False) -> Rows:
        """The asked columns in DuckDB, and the number of each row if wished."""
        asked = tuple(dict.fromkeys(names))
        column_names.positions(self.columns, asked, self.name)
        native = nw.to_native(self.frame)
        kind = self.kind.removesuffix("-lazy")
        for name in asked:
            if name not in self.arrow:
                self.arrow[name] = arrow_column(native, kind, name)
        columns = [self.arrow[name] for name in asked]
        if numbers or not columns:  # a count of rows needs a column to count
            columns.append(pa.array(np.arange(len(self.frame))))
            asked = (*asked, _ROW)
        table = pa.table(columns, names=[f"c{i}" for i in range(len(columns))])
        with translate_errors(self.name):
            relation = self.engine.from_arrow(table)
        return duckdb_rows(relation, asked, self.name)


def open_frame(source: Any) -> Table:
    """A pandas, polars (eager or lazy) or pyarrow frame."""
    if is_a.is_polars_lazyframe(source):
        try:
            return _checked("polars-lazy", source.collect())
        except TableError:
            raise
        except Exception as error:  # whatever the caller's own query raises
            problem = f"its query does not run ({type(error).__name__})"
            raise TableError(Fault("polars-lazy", problem, "collect it first and see")) from None
    for kind, fits in (
        ("pandas", is_a.is_pandas_dataframe),
        ("polars", is_a.is_polars_dataframe),
    ):
        if fits(source):
            return _checked(kind, source)
    return _checked("pyarrow", source)


def _checked(kind: str, native: Any) -> Table:
    columns = native.column_names if kind == "pyarrow" else list(native.columns)
    column_names.checked(kind, columns)
    return FrameTable(kind, nw.from_native(native, eager_only=True))
