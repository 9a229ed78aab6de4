"""The distinct cells of one column, numbered as they come and sorted at the end."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Index = NDArray[np.int32]
HEAP = (1 << 31) - 1  # bytes of distinct cells: Arrow's limit for one array of strings


class Interned:
    """Of one type; safe in threads. ``full`` when there were too many, and then it is of no use."""

    def __init__(self, kind: Any, most: int) -> None:
        self.kind, self.most = kind, most
        self.text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        self.held, self.full = 0, False
        self._wide = 0 if self.text else _stored(kind).bit_width // 8  # bytes, if all have as many
        self._null = -1  # its number, once there is one
        self._lock = Lock()
        self._heap = np.empty(64, np.uint8)
        self._stops = np.zeros(17, np.int64)
        self._bits = 12
        self._lines = np.zeros((1 << self._bits, 2), np.uint64)

    def numbers(self, cells: Any, null: bool) -> Index:
        """The number of each of the ``cells``, none null; and of null, if asked, at the end."""
        found = np.empty(len(cells) + null, np.int32)
        data, ends = self._bytes(cells)
        with self._lock:
            self._make_room(len(cells) + null, int(ends[-1] - ends[0]))
            if not self.full:
                self._intern(data, ends, found)
                if null:
                    found[-1] = self._number_of_null()
                self.full = self.held > self.most
        return found

    def listed(self, cells: Any, numbers: Index) -> bool:
        """Are these the numbers of the cells? Every cell is held against the list."""
        from lookalike.tables.packed.verifier.row_kernels import all_as_listed

        with self._lock:
            heap, stops = self._heap, self._stops
        data, ends = self._bytes(cells)
        return bool(all_as_listed(data, ends, numbers, heap, stops))

    def by_number(self) -> Any:
        """The cells in the order of their numbers."""
        cells, place = self.sorted()
        return cells.take(pa.array(place))

    def _intern(self, data: NDArray[np.uint8], ends: NDArray[np.int64], found: Index) -> None:
        from lookalike.tables.packed.interning_kernels import intern, move_lines

        first = 0
        while True:
            self.held, first = intern(
                data, ends, self._wide, self._heap, self._stops, self._lines, self._up,
                self.held, first, found,
            )  # fmt: skip
            if first == len(ends) - 1:
                return
            self._bits += 1
            old, self._lines = self._lines, np.zeros((1 << self._bits, 2), np.uint64)
            move_lines(old, self._lines, self._up)

    @property
    def _up(self) -> np.uint64:
        return np.uint64(64 - self._bits)

    def _number_of_null(self) -> int:
        """It takes no bytes of the heap, and no line."""
        if self._null < 0:
            self._null = self.held
            self._stops[self.held + 1] = self._stops[self.held]
            self.held += 1
        return self._null

    def _make_room(self, cells: int, size: int) -> None:
        used, most = int(self._stops[self.held]) + size, self.held + cells
        if used > HEAP:
            self.full = True
        if used > len(self._heap):
            self._heap = np.concatenate([self._heap, np.empty(used, np.uint8)])
        if most >= len(self._stops):
            self._stops = np.concatenate([self._stops, np.empty(most, np.int64)])

    def sorted(self) -> tuple[Any, NDArray[np.int64]]:
        """The cells rising, null last; and for each number the cell's place among them."""
        cells = self._cells()
        if self._null >= 0:
            there = np.arange(self.held) != self._null
            cells = pc.if_else(pa.array(there), cells, pa.nulls(self.held, cells.type))
        order = pc.sort_indices(cells)  # null at the end
        place = np.empty(self.held, np.int64)
        place[order.to_numpy()] = np.arange(self.held)
        return cells.take(order), place

    def _cells(self) -> Any:
        """By number; null is some cell or other."""
        used = pa.py_buffer(self._heap[: int(self._stops[self.held])])
        if self.text:
            wide = np.int64 if pa.types.is_large_string(self.kind) else np.int32
            ends = pa.py_buffer(self._stops[: self.held + 1].astype(wide))
            return pa.Array.from_buffers(self.kind, self.held, [None, ends, used])
        cells = pa.Array.from_buffers(
            _stored(self.kind), len(used) // self._wide, [None, used]
        ).cast(self.kind)
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
            return raw(cells.buffers()[2] if len(cells) else None, np.uint8), ends
        cells = cells.cast(_stored(self.kind))
        ends = np.arange(cells.offset, cells.offset + len(cells) + 1, dtype=np.int64) * self._wide
        return raw(cells.buffers()[1] if len(cells) else None, np.uint8), ends


def _stored(kind: Any) -> Any:
    """A type of whole bytes."""
    return pa.uint8() if pa.types.is_boolean(kind) else kind


def raw(buffer: Any, kind: Any) -> NDArray[Any]:
    """An Arrow buffer as numbers, always read-only: to the compiler that is a type of its own."""
    seen: NDArray[Any] = np.frombuffer(buffer or b"", kind)
    seen.flags.writeable = False
    return seen


def suits(kind: Any) -> bool:
    """Is it a type whose cells are equal if their bytes are?"""
    types = pa.types
    if types.is_timestamp(kind):
        return bool(kind.unit != "ns")
    plain = (types.is_integer, types.is_date, types.is_boolean, types.is_string,
             types.is_large_string, types.is_decimal)  # fmt: skip
    return any(is_one(kind) for is_one in plain)
