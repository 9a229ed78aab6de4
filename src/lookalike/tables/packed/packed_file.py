"""A Parquet file, or several, read into memory as packed codes: several times faster than DuckDB.

What cannot be packed, such as floats or a column with millions of distinct cells, goes to DuckDB.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import RemoteCounts
from lookalike.tables.column_names import positions
from lookalike.tables.duckdb.engine import cell_texts
from lookalike.tables.duckdb.table import DuckDBTable
from lookalike.tables.engine_progress import Step, report_progress
from lookalike.tables.packed.bit_layout import BitLayout, Words
from lookalike.tables.packed.interning import can_intern
from lookalike.tables.packed.node_counts import NO_LIMIT, PackedNodeCounts
from lookalike.tables.packed.packed_release import PackedReleaseTable
from lookalike.tables.packed.packed_rows import PackedRows
from lookalike.tables.packed.parquet.reading import read_files
from lookalike.tables.packed.row_recoding import recode_packed
from lookalike.tables.packed.threads import threads
from lookalike.tables.packed.verifier.reading import (
    CannotPack,
    UnlistedCell,
    list_cells,
    read_texts,
)
from lookalike.tables.packed.verifier.text_table import TextTable
from lookalike.tables.resource_limits import memory_limit
from lookalike.tables.sql.group_counts import Groups, frequency_set, python_values
from lookalike.tables.table import Edit, Table
from lookalike.tables.wrapped_table import WrappedTable

ROW_BYTES = 24  # at most: its codes, those of the release, and space to sort them
MAX_EXACT_GROUPS = 1 << 23  # above, an estimate is good enough

OpenInDuckDB = Callable[[int | None], DuckDBTable]  # with this number of threads; None: any


class PackedFileTable(WrappedTable):
    """One Parquet file, or several with the same columns; ``inner`` is the same in DuckDB."""

    inner: DuckDBTable

    def __init__(
        self, inner: DuckDBTable, files: Sequence[Path], open_in_duckdb: OpenInDuckDB
    ) -> None:
        self.inner, self.files, self.open_in_duckdb = inner, files, open_in_duckdb
        self.kind, self.name, self.path = inner.kind, inner.name, inner.path
        self.rows_in_memory: PackedRows | None = None  # until an edit uses them up
        self.texts_in_memory: TextTable | None = None
        self.cannot_pack = False
        self.cannot_pack_texts = False
        self.cells: tuple[Any, ...] = ()  # by position: the distinct cells, as Arrow arrays
        self.expected_cells: tuple[Any, ...] = ()  # those that a file just written should have
        self.values: dict[int, tuple[Any, ...]] = {}  # by position: the cells, as Python values
        self.cell_texts: dict[int, tuple[str | None, ...]] = {}  # by position: the cells, as text
        self.marginals: dict[int, NDArray[np.int64]] = {}  # by position
        self.read_ahead = False  # read the file for the verifier before it asks
        self.reading_ahead: Future[TextTable] | None = None
        self.stop_reading = Event()
        self.progress = Step("reading once more", 0)

    @property
    def text_source(self) -> TextTable | DuckDBTable:
        return self.texts() or self.inner

    def rows(self) -> int:
        return sum(pq.read_metadata(file).num_rows for file in self.files)

    def count_groups(self, names: Sequence[str], sensitive: Sequence[str] = ()) -> FrequencySet:
        positions(self.columns, [*names, *sensitive], self.name)
        if (packed := self.packed()) is not None:
            with suppress(OverflowError):
                return frequency_set(partial(self._group, packed), names, sensitive, self.name)
        return self.inner.count_groups(names, sensitive)

    def count_columns(self, names: Sequence[str]) -> FrequencySet:
        places = positions(self.columns, names, self.name)
        for place in places:
            if place not in self.marginals:
                if (packed := self.packed()) is None:
                    return self.inner.count_columns(names)
                self.marginals[place] = packed.marginal(place)
        marginals = [self.marginals[place] for place in places]
        return FrequencySet.of_columns(names, map(self._values, names), marginals)

    def estimate_groups(self, names: Sequence[str]) -> int:
        if (packed := self.packed()) is not None:
            with suppress(OverflowError):
                _, luts = _key_layout(packed, names)
                estimate = int(packed.estimate_groups(luts, packed.sample()))
                few = estimate <= MAX_EXACT_GROUPS
                counted = packed.count(luts, 4 * MAX_EXACT_GROUPS) if few else None
                return estimate if counted is None else len(counted[0])
        return self.inner.estimate_groups(names)

    def sample_groups(self, names: Sequence[str], parts: int) -> FrequencySet:
        positions(self.columns, names, self.name)
        if (packed := self.packed()) is not None:
            with suppress(OverflowError):
                part = partial(self._group, packed, parts=parts)
                return frequency_set(part, names, (), self.name)
        return self.inner.sample_groups(names, parts)

    def remote_counts(self, columns: FrequencySet, tables: Sequence[LevelTable]) -> RemoteCounts:
        if self.packed() is None:
            return self.inner.remote_counts(columns, tables)
        return PackedNodeCounts(self._packed_again, columns, tables)

    def text_codes(self, name: str) -> Mapping[str | None, int]:
        (place,) = positions(self.columns, [name], self.name)
        if not self.cells and self.packed() is None:
            return self.inner.text_codes(name)
        return {text: i for i, text in enumerate(self._cell_texts(place))}

    def prepare_release(self) -> None:
        """Read the file for the verifier while the search leaves a core idle."""
        self.read_ahead = True
        if self.rows_in_memory is not None:
            self._read_ahead()

    def free_memory(self) -> None:
        self.texts_in_memory = None
        self.read_ahead = False
        if self.reading_ahead is not None:
            self.stop_reading.set()

    def edit(self, edit: Edit) -> Table:
        packed = self.packed() if edit.split is None else None
        if packed is None or not all(
            recoding.values == self._values(name) for name, recoding in edit.recodings.items()
        ):
            return self.inner.edit(edit)
        positions(packed.names, edit.columns, self.name)
        self.rows_in_memory = None  # used up, even if the edit is interrupted
        released = recode_packed(packed, edit, self._cell_texts, self.name)
        if released is None:
            return self.inner.edit(edit)
        return PackedReleaseTable(self.name, released)

    def packed(self) -> PackedRows | None:
        """The packed rows, read when first needed; None if they cannot be packed."""
        if self.rows_in_memory is None and not self.cannot_pack:
            packed = self.rows_in_memory = read_files(self.files, self.columns)
            self.cannot_pack, self.cells = packed is None, packed.values if packed else ()
            if self.read_ahead:
                self._read_ahead()
        return self.rows_in_memory

    def texts(self) -> TextTable | None:
        """The rows as text for the verifier, read by other code; None if they cannot be packed."""
        if self.texts_in_memory is None and not (self.cannot_pack or self.cannot_pack_texts):
            ahead, self.reading_ahead = self.reading_ahead, None
            if self.stop_reading.is_set():
                ahead = None
                self.stop_reading.clear()
            progress = Step("reading once more", 1, ask_share=lambda: self.progress.share or 0.0)
            try:
                with report_progress(progress):
                    self.texts_in_memory = (
                        ahead.result() if ahead else self._read_texts(self.inner, threads())
                    )
            except CannotPack:
                self.cannot_pack_texts = True
        return self.texts_in_memory

    def _read_ahead(self) -> None:
        if self.reading_ahead is None and self.texts_in_memory is None and not self.cannot_pack:
            pool = ThreadPoolExecutor(1)
            half = max(1, threads() // 2)  # the search goes first
            self.reading_ahead = pool.submit(self._read_texts, None, half)
            pool.shutdown(wait=False)

    def _read_texts(self, table: DuckDBTable | None, workers: int) -> TextTable:
        table = table or self.open_in_duckdb(workers)
        step = self.progress = Step("reading once more", self.rows())
        if cells := self.cells or self.expected_cells:
            with suppress(UnlistedCell):
                return read_texts(table.content, cells, self.stop_reading, workers, step)
        cells = tuple(list_cells(table.content))
        return read_texts(table.content, cells, self.stop_reading, workers, step)

    def _group(self, packed: PackedRows, names: Sequence[str], parts: int = 1) -> Groups:
        """All groups, or those of one of ``parts`` parts."""
        layout, luts = _key_layout(packed, names)
        if parts > 1:
            keys, counts = np.unique(packed.keys_of_part(luts, 0, parts), return_counts=True)
        else:
            counted = packed.count(luts, NO_LIMIT)
            assert counted is not None
            keys, counts = counted
        codes = np.empty((len(keys), len(names)), dtype=np.int32)
        for a in range(len(names)):
            codes[:, a] = layout.unpack([keys], a)
        return Groups(tuple(map(self._values, names)), codes, counts)

    def _packed_again(self) -> PackedRows:
        packed = self.packed()
        assert packed is not None
        return packed

    def _values(self, name: str) -> tuple[Any, ...]:
        place = self.columns.index(name)
        if place not in self.values:
            zoned = self.inner.content.types()[place] == self.inner.engine.cells.ZONED
            self.values[place] = python_values(self.cells[place], zoned, name)
        return self.values[place]

    def _cell_texts(self, place: int) -> tuple[str | None, ...]:
        if place not in self.cell_texts:
            self.cell_texts[place] = tuple(cell_texts(self.cells[place], self.name).to_pylist())
        return self.cell_texts[place]


def expect_cells(written: Table, released: Table) -> None:
    """Tell a table just written which cells it should have, so that it is read back faster."""
    if isinstance(written, PackedFileTable) and isinstance(released, PackedReleaseTable):
        written.expected_cells = released.content.values


def pack_if_possible(open_in_duckdb: OpenInDuckDB, files: Sequence[Path]) -> Table:
    """Open the files packed if types and memory allow it, else in DuckDB."""
    metadata = [pq.read_metadata(file) for file in files]
    plain = open_in_duckdb(None)
    rows = sum(file.num_rows for file in metadata)
    types = [kind for file in metadata for kind in file.schema.to_arrow_schema().types]
    if rows * ROW_BYTES > memory_limit() or not all(map(can_intern, types)):
        return plain
    return PackedFileTable(plain, tuple(files), open_in_duckdb)


def _key_layout(packed: PackedRows, names: Sequence[str]) -> tuple[BitLayout, list[Words | None]]:
    """A key of these columns, and what each code adds to it; OverflowError if it is too long."""
    places = [packed.names.index(name) for name in names]
    sizes = [len(packed.values[place]) for place in places]
    layout = BitLayout.for_sizes(sizes)
    if layout.words > 1 or len(set(names)) < len(names):
        raise OverflowError("the columns take more than a word")
    return layout, layout.luts(list(map(np.arange, sizes)), places, len(packed.names))[0]
