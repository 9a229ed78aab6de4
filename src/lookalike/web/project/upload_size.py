"""The limit for uploads also holds for what a file becomes when it is decompressed.

A small file can decompress to any size, and would then fill the memory and the disk of the server.
A .gz file is decompressed in small parts until its end or the limit; nothing of it is kept. Parquet
and DuckDB files are never decompressed as a whole, but a few bytes can stand for very many equal
rows. So a table must not have more cells than the limit has bytes: as CSV it would be larger still.
"""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import Fault, TableError

CHUNK_BYTES = 1 << 20
_FIX = (
    "put it into the folder given with --data and open it there, or start lookalike serve with a "
    "larger --upload"
)


def check_file(file: Path, name: str, limit: int) -> None:
    """Raise TableError if a .gz or .parquet file becomes larger than ``limit`` bytes."""
    suffix = file.suffix.lower()
    if suffix == ".gz" and _has_more_bytes(file, name, limit):
        problem = f"it is larger than {limit:,} bytes when decompressed"
        raise TableError(Fault(name, problem, _FIX))
    if suffix == ".parquet":
        try:
            footer = pq.read_metadata(file)
        except (pa.ArrowException, OSError):
            return  # opening it says what is wrong
        groups = (footer.row_group(number) for number in range(footer.num_row_groups))
        if sum(group.total_byte_size for group in groups) > limit:
            problem = f"its columns are larger than {limit:,} bytes when decompressed"
            raise TableError(Fault(name, problem, _FIX))
        check_cells(footer.num_rows, footer.num_columns, name, limit)


def check_cells(rows: int, columns: int, name: str, limit: int) -> None:
    """Raise TableError if a table has more cells than the limit has bytes."""
    if rows * columns > limit:
        problem = f"it has more than {limit:,} cells; as text it is larger than an upload may be"
        raise TableError(Fault(name, problem, _FIX))


def _has_more_bytes(file: Path, name: str, limit: int) -> bool:
    """Decompress the file until it ends, or has more bytes than the limit."""
    size, buffer = 0, bytearray(CHUNK_BYTES)
    try:
        with gzip.open(file, "rb") as content:
            while size <= limit and (read := content.readinto(buffer)):
                size += read
    except (OSError, EOFError, zlib.error):
        fix = "compress the table again with gzip"
        raise TableError(Fault(name, "it is damaged, or not a gzip file", fix)) from None
    return size > limit
