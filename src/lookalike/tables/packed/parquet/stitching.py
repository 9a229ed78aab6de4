"""Join Parquet files with the same columns into one: their row groups one after the other.

The bytes of a row group do not depend on their position; the footer has the positions. So the bytes
are copied as they are, and the positions in the footer are moved.
"""

from __future__ import annotations

from typing import Any, BinaryIO

from lookalike.tables.packed.parquet import thrift

MAGIC = b"PAR1"
# Fields of parquet.thrift
ROWS, GROUPS = 3, 4  # of FileMetaData
COLUMNS, GROUP_ROWS, GROUP_OFFSET, ORDINAL = 1, 3, 5, 7  # of RowGroup
CHUNK_OFFSET, META, OFFSET_INDEX, COLUMN_INDEX = 2, 3, 4, 6  # of ColumnChunk
PAGES = (9, 10, 11, 14)  # of ColumnMetaData: data, index, dictionary pages and Bloom filter
MAX_ORDINALS = 1 << 15  # a row group's ordinal has 16 bits; later row groups have none


class ParquetStitcher:
    """Joins files: add each of them, then end."""

    def __init__(self, file: BinaryIO, empty: bytes) -> None:
        """``empty``: a file without rows, for its footer."""
        self.file, self.footer = file, _footer(empty)[0]
        self.groups: list[thrift.Struct] = []
        self.rows = 0
        self.at = file.write(MAGIC)

    def add(self, piece: Any) -> None:
        footer, body = _footer(piece)
        for group in footer[GROUPS][1][1]:
            _move(group, self.at - len(MAGIC))
            group.pop(ORDINAL, None)
            if len(self.groups) < MAX_ORDINALS:
                group[ORDINAL] = (thrift.I16, len(self.groups))
            self.groups.append(group)
            self.rows += group[GROUP_ROWS][1]
        self.file.write(body)
        self.at += len(body)

    def end(self) -> None:
        self.footer[ROWS] = (thrift.I64, self.rows)
        self.footer[GROUPS] = (thrift.LIST, (thrift.STRUCT, self.groups))
        written = thrift.write(self.footer)
        self.file.write(written + len(written).to_bytes(4, "little") + MAGIC)


def _footer(piece: Any) -> tuple[thrift.Struct, memoryview]:
    """A file's footer, and the bytes before it."""
    whole = memoryview(piece)
    size = int.from_bytes(whole[-8:-4], "little")
    return thrift.read(bytes(whole[-8 - size : -8])), whole[len(MAGIC) : -8 - size]


def _move(group: thrift.Struct, by: int) -> None:
    _add(group, GROUP_OFFSET, by)
    for chunk in group[COLUMNS][1][1]:
        for field in (CHUNK_OFFSET, OFFSET_INDEX, COLUMN_INDEX):
            _add(chunk, field, by)
        for field in PAGES:
            _add(chunk[META][1], field, by)


def _add(struct: thrift.Struct, field: int, by: int) -> None:
    kind, value = struct.get(field, (0, 0))
    if value:  # 0 means that there is none
        struct[field] = (kind, value + by)
