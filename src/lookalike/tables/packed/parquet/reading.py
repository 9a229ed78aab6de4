"""Read Parquet files into packed rows, in one pass.

Each batch of rows is packed with the numbers that its cells have so far (in order of first
occurrence), in as few bits as these need. Once all cells are known they are sorted, and every batch
is packed again in place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lookalike.tables.engine_progress import Step, report_progress
from lookalike.tables.packed.bit_layout import BitLayout, Words
from lookalike.tables.packed.code_replacement import KeySet, replace_codes
from lookalike.tables.packed.interning import InternedCells, as_numbers, can_intern
from lookalike.tables.packed.key_fields import WORD_ITSELF, join_fields
from lookalike.tables.packed.packed_rows import PackedRows
from lookalike.tables.packed.threads import threads

BATCH_ROWS = 1 << 17  # that a thread decodes at a time
MAX_CELLS = 1 << 22  # distinct cells of a column
PackedBatch = tuple[int, int, BitLayout]  # first row, row after the last, how they were packed


def read_files(
    files: Sequence[Path], names: Sequence[str], max_cells: int = MAX_CELLS
) -> PackedRows | None:
    """Read the columns ``names`` of the files, one file after the other.

    None if a column is missing, or there twice, or of several types, or of a type that cannot be
    interned (floats, nanoseconds, bytes, lists …), or has more than ``max_cells`` distinct cells.
    Errors of pyarrow for a file that is not Parquet are not caught.
    """
    metadata = [pq.read_metadata(file) for file in files]
    types = _column_types(metadata, names)
    if types is None:
        return None
    reader = _Reader(tuple(names), [InternedCells(kind, max_cells) for kind in types])
    groups, start = [], 0
    for file, its_metadata in zip(files, metadata, strict=True):
        for number in range(its_metadata.num_row_groups):
            rows = its_metadata.row_group(number).num_rows
            groups.append(_RowGroup(file, its_metadata, number, start, start + rows))
            start += rows
    reader.words = [np.empty(start, np.uint64)]
    reader.columns_in_threads = len(groups) < threads()
    with ThreadPoolExecutor(threads()) as pool:
        with report_progress(Step("reading", start)) as step:
            packed: list[PackedBatch] = []
            for i, batches in enumerate(pool.map(reader.read, groups)):
                if not i:  # the other threads go on
                    pa.array([0]).to_numpy()  # for which Arrow may import pandas, once
                packed += batches
                step.add(groups[i].end - groups[i].start)
        if any(column.full for column in reader.columns):
            return None
        return reader.sort(packed, pool)


def _column_types(metadata: Sequence[Any], names: Sequence[str]) -> list[Any] | None:
    """The type of each column, the same in all files."""
    schemas = [file.schema.to_arrow_schema() for file in metadata]
    if any(len(schema.get_all_field_indices(name)) != 1 for schema in schemas for name in names):
        return None
    types = [[schema.field(name).type for name in names] for schema in schemas]
    same = bool(types) and all(of_file == types[0] for of_file in types)
    return types[0] if same and all(map(can_intern, types[0])) else None


@dataclass(frozen=True, slots=True)
class _RowGroup:
    """A row group, and the rows of the table that it will be."""

    file: Path
    metadata: Any
    number: int
    start: int
    end: int


@dataclass(slots=True, eq=False)
class _Reader:
    names: tuple[str, ...]
    columns: list[InternedCells]
    words: list[Words] = field(default_factory=list)
    columns_in_threads: bool = False  # if there are fewer row groups than threads
    _lock: Lock = field(default_factory=Lock)

    def read(self, group: _RowGroup) -> list[PackedBatch]:
        """Pack the row group, and say how each batch was packed."""
        packed, start = [], group.start
        for batch in self._batches(group):
            if any(column.full for column in self.columns):
                return []
            end = start + batch.num_rows
            if end > group.end:
                break
            packed.append((start, end, self._pack(batch, start, end)))
            start = end
        if start != group.end:
            raise OSError(f"{group.file} changed while it was read")
        return packed

    def _batches(self, group: _RowGroup) -> Iterator[Any]:
        """Texts that the file stores in a dictionary are read as numbers into it."""
        texts = {name for name, cells in zip(self.names, self.columns, strict=True) if cells.text}
        stored = group.metadata.row_group(group.number)
        chunks = map(stored.column, range(stored.num_columns))
        in_dictionary = [chunk.path_in_schema for chunk in chunks if chunk.has_dictionary_page]
        with pq.ParquetFile(
            group.file, metadata=group.metadata, read_dictionary=texts.intersection(in_dictionary),
            pre_buffer=False,
        ) as file:  # fmt: skip
            yield from file.iter_batches(
                BATCH_ROWS, row_groups=[group.number], columns=list(self.names),
                use_threads=self.columns_in_threads,
            )  # fmt: skip

    def _pack(self, batch: Any, start: int, end: int) -> BitLayout:
        from lookalike.tables.packed.interning_kernels import add_looked_up

        encoded = [
            _intern(batch.column(name), column)
            for name, column in zip(self.names, self.columns, strict=True)
        ]
        layout = BitLayout.for_sizes([column.size for column in self.columns])
        with self._lock:
            self._add_words(layout.words)
        for word in self.words[: layout.words]:
            word[start:end] = 0
        for j, (index, numbers) in enumerate(encoded):
            shift, part = np.uint64(layout.shift[j]), self.words[layout.word[j]][start:end]
            if numbers is None:
                part += index.astype(np.uint64) << shift
            else:
                add_looked_up(index, numbers.astype(np.uint64) << shift, part)
        return layout

    def _add_words(self, needed: int) -> None:
        while len(self.words) < needed:
            self.words.append(np.empty(len(self.words[0]), np.uint64))

    def sort(self, packed: Sequence[PackedBatch], pool: ThreadPoolExecutor) -> PackedRows:
        """Pack every batch again, by the positions of its cells among all sorted cells."""
        ordered = list(pool.map(InternedCells.sorted_cells, self.columns))
        places = [place for _, place in ordered]
        layout = BitLayout.for_sizes([len(place) for place in places])
        luts = layout.luts(places, range(len(places)), len(places))
        self._add_words(layout.words)
        nobody = KeySet.build(np.zeros(0, np.uint64))
        for start, end, before in _merge_batches(packed):
            part = [word[start:end] for word in self.words]
            fields = [join_fields(before, lut) for lut in luts]
            replace_codes(part, fields, WORD_ITSELF, nobody, None)
        values = tuple(cells for cells, _ in ordered)
        return PackedRows(self.names, values, layout, len(self.words[0]), self.words)


def _merge_batches(packed: Sequence[PackedBatch]) -> Iterator[PackedBatch]:
    """Merge neighbors that were packed in the same way."""
    for layout, run in groupby(packed, key=lambda batch: batch[2]):
        batches = list(run)
        yield batches[0][0], batches[-1][1], layout


def _intern(
    cells: Any, column: InternedCells
) -> tuple[NDArray[np.int32], NDArray[np.int32] | None]:
    """The cells as an index into some of the column's numbers, and those; or as numbers."""
    from lookalike.tables.packed.interning_kernels import mark_used

    null = cells.null_count > 0
    if not pa.types.is_dictionary(cells.type):
        if not null:
            return column.numbers(cells, null), None
        cells = cells.dictionary_encode()
    indices = cells.indices.fill_null(len(cells.dictionary)) if null else cells.indices
    index = as_numbers(indices.buffers()[1] if len(indices) else None, np.int32)
    index = index[indices.offset : indices.offset + len(indices)]
    used = np.zeros(len(cells.dictionary) + null, np.bool_)
    mark_used(index, used)
    if used.all():
        return index, column.numbers(cells.dictionary, null)
    numbers = np.zeros(len(used), np.int32)  # a file may list cells that no row has
    present = np.flatnonzero(used[: len(cells.dictionary)])
    numbers[used] = column.numbers(cells.dictionary.take(present), null)
    return index, numbers
