"""Intern the cells of a column: distinct cells are numbered as they come, and sorted at the end."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Index = NDArray[np.int32]
MAX_HEAP_BYTES = (1 << 31) - 1  # of distinct cells: Arrow's limit for one array of strings


class InternedCells:
    """The distinct cells of one type; safe in threads. It is useless once it is ``full``."""

    def __init__(self, kind: Any, max_cells: int) -> None:
        self.kind, self.max_cells = kind, max_cells
        self.text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        self.size, self.full = 0, False
        self._width = 0 if self.text else _stored(kind).bit_width // 8  # bytes, if all are equal
        self._null = -1  # the number of null, once there is one
        self._lock = Lock()
        self._heap = np.empty(64, np.uint8)
        self._stops = np.zeros(17, np.int64)
        self._bits = 12
        self._lines = np.zeros((1 << self._bits, 2), np.uint64)

    def numbers(self, cells: Any, null: bool) -> Index:
        """The number of each cell, none of which is null; with ``null``, that of null last."""
        out = np.empty(len(cells) + null, np.int32)
        data, ends = self._bytes(cells)
        with self._lock:
            self._make_room(len(cells) + null, int(ends[-1] - ends[0]))
            if not self.full:
                self._intern(data, ends, out)
                if null:
                    out[-1] = self._number_of_null()
                self.full = self.size > self.max_cells
        return out

    def _intern(self, data: NDArray[np.uint8], ends: NDArray[np.int64], out: Index) -> None:
        from lookalike.tables.packed import interning_kernels as kernels

        strings, first = kernels.Strings(data, ends), 0
        while True:
            known = kernels.KnownStrings(self._heap, self._stops, self._lines, self._up)
            self.size, first = kernels.intern(strings, self._width, known, self.size, first, out)
            if first == len(ends) - 1:
                return
            self._bits += 1
            old, self._lines = self._lines, np.zeros((1 << self._bits, 2), np.uint64)
            kernels.move_lines(old, self._lines, self._up)

    @property
    def _up(self) -> np.uint64:
        return np.uint64(64 - self._bits)

    def _number_of_null(self) -> int:
        """Null takes no bytes of the heap, and no line."""
        if self._null < 0:
            self._null = self.size
            self._stops[self.size + 1] = self._stops[self.size]
            self.size += 1
        return self._null

    def _make_room(self, cells: int, size: int) -> None:
        used, last = int(self._stops[self.size]) + size, self.size + cells
        if used > MAX_HEAP_BYTES:
            self.full = True
        if used > len(self._heap):
            self._heap = np.concatenate([self._heap, np.empty(used, np.uint8)])
        if last >= len(self._stops):
            self._stops = np.concatenate([self._stops, np.empty(last, np.int64)])

    def sorted_cells(self) -> tuple[Any, NDArray[np.int64]]:
        """The sorted cells, null last; and for each number the position of its cell."""
        cells = self._cells()
        if self._null >= 0:
            there = np.arange(self.size) != self._null
            cells = pc.if_else(pa.array(there), cells, pa.nulls(self.size, cells.type))
        order = pc.sort_indices(cells)  # null at the end
        place = np.empty(self.size, np.int64)
        place[order.to_numpy()] = np.arange(self.size)
        return cells.take(order), place

    def _cells(self) -> Any:
        """The cells by number; null may be any cell."""
        used = pa.py_buffer(self._heap[: int(self._stops[self.size])])
        if self.text:
            wide = np.int64 if pa.types.is_large_string(self.kind) else np.int32
            ends = pa.py_buffer(self._stops[: self.size + 1].astype(wide))
            return pa.Array.from_buffers(self.kind, self.size, [None, ends, used])
        size = len(used) // self._width
        cells = pa.Array.from_buffers(_stored(self.kind), size, [None, used]).cast(self.kind)
        if self._null < 0:
            return cells
        before, after = cells[: self._null], cells[self._null :]
        return pa.concat_arrays([before, pa.nulls(1, self.kind), after])

    def _bytes(self, cells: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The cells' bytes, and where each begins and the last ends."""
        if self.text:
            wide = np.int64 if pa.types.is_large_string(cells.type) else np.int32
            ends = np.zeros(1, np.int64)
            if len(cells):
                whole = np.frombuffer(cells.buffers()[1], wide)
                ends = whole[cells.offset : cells.offset + len(cells) + 1].astype(np.int64)
            return as_numbers(cells.buffers()[2] if len(cells) else None, np.uint8), ends
        cells = cells.cast(_stored(self.kind))
        ends = np.arange(cells.offset, cells.offset + len(cells) + 1, dtype=np.int64) * self._width
        return as_numbers(cells.buffers()[1] if len(cells) else None, np.uint8), ends


def _stored(kind: Any) -> Any:
    """A type of the same cells that takes whole bytes."""
    return pa.uint8() if pa.types.is_boolean(kind) else kind


def as_numbers(buffer: Any, kind: Any) -> NDArray[Any]:
    """An Arrow buffer as numbers, always read-only: for the compiler that is a different type."""
    numbers: NDArray[Any] = np.frombuffer(buffer or b"", kind)
    numbers.flags.writeable = False
    return numbers


def can_intern(kind: Any) -> bool:
    """Is it a type whose cells are equal exactly if their bytes are?"""
    types = pa.types
    if types.is_timestamp(kind):
        return bool(kind.unit != "ns")
    supported = (types.is_integer, types.is_date, types.is_boolean, types.is_string,
                 types.is_large_string, types.is_decimal)  # fmt: skip
    return any(is_one(kind) for is_one in supported)
