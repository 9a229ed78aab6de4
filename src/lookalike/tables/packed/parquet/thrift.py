"""Thrift's compact protocol, the part of it that a Parquet footer uses: bytes to values and back.

A struct is a dict from field number to (type, value), a list is (type of its items, items). Fields
that we do not know are kept, so a struct can be changed and written again.
"""

from __future__ import annotations

from typing import Any

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
Struct = dict[int, tuple[int, Any]]


def read(data: bytes) -> Struct:
    struct: Struct = _Reader(data).value(STRUCT)
    return struct


def write(struct: Struct) -> bytes:
    out = bytearray()
    _write(out, STRUCT, struct)
    return bytes(out)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def bytes(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self) -> int:
        """A number with seven bits a byte, the lowest first."""
        number = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def value(self, kind: int) -> Any:
        if kind in (I16, I32, I64):
            number = self.number()
            return (number >> 1) ^ -(number & 1)
        if kind in (TRUE, FALSE, BYTE):  # in a list; a field has its boolean in its type
            return self.bytes(1)
        if kind == DOUBLE:
            return self.bytes(8)
        if kind == BINARY:
            return self.bytes(self.number())
        if kind == LIST:
            return self.list()
        if kind == STRUCT:
            return self.struct()
        raise ValueError(f"a Parquet footer has no type {kind}")

    def list(self) -> tuple[int, list[Any]]:
        head = self.bytes(1)[0]
        size = head >> 4
        if size == 15:
            size = self.number()
        return head & 15, [self.value(head & 15) for _ in range(size)]

    def struct(self) -> Struct:
        struct: Struct = {}
        field = 0
        while head := self.bytes(1)[0]:
            step, kind = head >> 4, head & 15
            field = field + step if step else self.value(I16)
            struct[field] = (kind, None if kind in (TRUE, FALSE) else self.value(kind))
        return struct


def _number(out: bytearray, number: int) -> None:
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)


def _write(out: bytearray, kind: int, value: Any) -> None:
    if kind in (I16, I32, I64):
        _number(out, value << 1 if value >= 0 else (-value << 1) - 1)
    elif kind == BINARY:
        _number(out, len(value))
        out += value
    elif kind == LIST:
        item_kind, items = value
        out.append(min(len(items), 15) << 4 | item_kind)
        if len(items) >= 15:
            _number(out, len(items))
        for item in items:
            _write(out, item_kind, item)
    elif kind == STRUCT:
        last = 0
        for field, (its_kind, its_value) in sorted(value.items()):
            step = field - last
            out.append((step << 4 if step < 16 else 0) | its_kind)
            if step >= 16:
                _write(out, I16, field)
            if its_kind not in (TRUE, FALSE):
                _write(out, its_kind, its_value)
            last = field
        out.append(0)
    else:
        out += value
