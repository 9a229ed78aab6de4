"""Parquet files to codes, in one pass.

Each stretch of rows is packed with the numbers its cells have so far (first come, first numbered)
and with just the bits those need; once all cells are known they are sorted, and every stretch is
packed again in place.
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

from lookalike.tables.engine_progress import Step, telling
from lookalike.tables.packed.bit_layout import Layout, Words
from lookalike.tables.packed.code_replacement import Gone, recode
from lookalike.tables.packed.column_codes import Codes
from lookalike.tables.packed.interning import Interned, raw, suits
from lookalike.tables.packed.key_fields import fields, itself
from lookalike.tables.packed.threads import threads

STRETCH = 1 << 17  # rows that a thread decodes at a time
MOST = 1 << 22  # distinct cells of a column


def read(files: Sequence[Path], names: Sequence[str], most: int = MOST) -> Codes | None:
    """The columns ``names`` of the files, one after the other.

    None if a column is not there, or there twice, or not of one type, or of a type that is not for
    codes (floats, nanoseconds, bytes, lists …), or has more than ``most`` distinct cells. What
    pyarrow raises for a file that is no Parquet file is left to the caller.
    """
    opened = [pq.read_metadata(file) for file in files]
    kinds = _kinds(opened, names)
    if kinds is None:
        return None
    pass_ = _Pass(tuple(names), [Interned(kind, most) for kind in kinds])
    pieces, start = [], 0
    for file, metadata in zip(files, opened, strict=True):
        for group in range(metadata.num_row_groups):
            rows = metadata.row_group(group).num_rows
            pieces.append(_Piece(file, metadata, group, start, start + rows))
            start += rows
    pass_.words = [np.empty(start, np.uint64)]
    pass_.wide = len(pieces) < threads()
    with ThreadPoolExecutor(threads()) as pool:
        with telling(Step("reading", start)) as step:
            packed: list[list[tuple[int, int, Layout]]] = []
            for piece, stretches in zip(pieces, pool.map(pass_.read, pieces), strict=True):
                if not packed:  # others work on
                    pa.array([0]).to_numpy()  # for which Arrow may import pandas, once
                packed.append(stretches)
                step.add(piece.end - piece.start)
        if any(column.full for column in pass_.columns):
            return None
        return pass_.sorted([one for several in packed for one in several], pool)


def _kinds(opened: Sequence[Any], names: Sequence[str]) -> list[Any] | None:
    """The type of each column, the same in all files."""
    found: list[Any] = []
    for metadata in opened:
        schema = metadata.schema.to_arrow_schema()
        if any(len(schema.get_all_field_indices(name)) != 1 for name in names):
            return None
        kinds = [schema.field(name).type for name in names]
        if not all(map(suits, kinds)) or (found and kinds != found):
            return None
        found = kinds
    return found if opened else None


@dataclass(frozen=True, slots=True)
class _Piece:
    """A row group, and the rows it will be."""

    file: Path
    metadata: Any
    group: int
    start: int
    end: int


@dataclass(slots=True, eq=False)
class _Pass:
    names: tuple[str, ...]
    columns: list[Interned]
    words: list[Words] = field(default_factory=list)
    wide: bool = False  # too few row groups for the threads: columns in threads then
    _lock: Lock = field(default_factory=Lock)

    def read(self, piece: _Piece) -> list[tuple[int, int, Layout]]:
        """Pack the piece, and say how each stretch was packed."""
        found, start = [], piece.start
        for batch in self._batches(piece):
            if any(column.full for column in self.columns):
                return []
            end = start + batch.num_rows
            if end > piece.end:
                break
            found.append((start, end, self._pack(batch, start, end)))
            start = end
        if start != piece.end:
            raise OSError(f"{piece.file} changed while it was read")
        return found

    def _batches(self, piece: _Piece) -> Iterator[Any]:
        """Texts that the file numbers are read as those numbers."""
        texts = {name for name, one in zip(self.names, self.columns, strict=True) if one.text}
        group = piece.metadata.row_group(piece.group)
        stored = map(group.column, range(group.num_columns))
        listed = [one.path_in_schema for one in stored if one.has_dictionary_page]
        with pq.ParquetFile(
            piece.file, metadata=piece.metadata, read_dictionary=texts.intersection(listed),
            pre_buffer=False,
        ) as file:  # fmt: skip
            yield from file.iter_batches(
                STRETCH, row_groups=[piece.group], columns=list(self.names), use_threads=self.wide
            )

    def _pack(self, batch: Any, start: int, end: int) -> Layout:
        from lookalike.tables.packed.interning_kernels import add_looked_up

        coded = [
            _coded(batch.column(name), column)
            for name, column in zip(self.names, self.columns, strict=True)
        ]
        layout = Layout.of([column.held for column in self.columns])
        with self._lock:
            while len(self.words) < layout.words:
                self.words.append(np.empty(len(self.words[0]), np.uint64))
        for word in self.words[: layout.words]:
            word[start:end] = 0
        for j, (index, numbers) in enumerate(coded):
            shift, part = np.uint64(layout.shift[j]), self.words[layout.word[j]][start:end]
            if numbers is None:
                part += index.astype(np.uint64) << shift
            else:
                add_looked_up(index, numbers.astype(np.uint64) << shift, part)
        return layout

    def sorted(self, packed: Sequence[tuple[int, int, Layout]], pool: ThreadPoolExecutor) -> Codes:
        """Every stretch again, by the cells' places among all of them in order."""
        ordered = list(pool.map(Interned.sorted, self.columns))
        places = [place for _, place in ordered]
        layout = Layout.of([len(place) for place in places])
        luts = layout.luts(places)
        while len(self.words) < layout.words:
            self.words.append(np.empty(len(self.words[0]), np.uint64))

        nobody = Gone.of(itself(), np.zeros(0, np.uint64))
        for start, end, before in _runs(packed):
            part = [word[start:end] for word in self.words]
            recode(part, [fields(before, each) for each in luts], nobody, None, reuse=True)
        values = tuple(cells for cells, _ in ordered)
        return Codes(self.names, values, layout, len(self.words[0]), self.words)


def _runs(packed: Sequence[tuple[int, int, Layout]]) -> Iterator[tuple[int, int, Layout]]:
    """Neighbours that were packed alike, as one."""
    for layout, run in groupby(packed, key=lambda one: one[2]):
        together = list(run)
        yield together[0][0], together[-1][1], layout


def _coded(cells: Any, column: Interned) -> tuple[NDArray[np.int32], NDArray[np.int32] | None]:
    """The cells as an index into some of the column's numbers, and those; or as numbers."""
    from lookalike.tables.packed.interning_kernels import mark

    null = cells.null_count > 0
    if not pa.types.is_dictionary(cells.type):
        if not null:
            return column.numbers(cells, null), None
        cells = cells.dictionary_encode()
    indices = cells.indices.fill_null(len(cells.dictionary)) if null else cells.indices
    seen = raw(indices.buffers()[1] if len(indices) else None, np.int32)
    seen = seen[indices.offset : indices.offset + len(indices)]
    used = np.zeros(len(cells.dictionary) + null, np.bool_)
    mark(seen, used)
    if used.all():
        return seen, column.numbers(cells.dictionary, null)
    numbers = np.zeros(len(used), np.int32)  # a file may list cells that no row has
    there = np.flatnonzero(used[: len(cells.dictionary)])
    numbers[used] = column.numbers(cells.dictionary.take(there), null)
    return seen, numbers
