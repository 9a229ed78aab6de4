"""Rows in and out by COPY: out as CSV, which Arrow reads; in as COPY's text format.

In CSV, COPY reads a line ``\\.`` as the end of the data; in the text format a backslash is doubled.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from lookalike.errors import Fault, TableError, ValueRangeError
from lookalike.tables.arrow_types import plain_type
from lookalike.tables.postgres import cells

_PARSE = pa.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)
_ESCAPED = (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"))
MAX_NAME_BYTES = 63  # the server cuts off the rest of a name


def read(buffer: io.BytesIO, columns: Sequence[tuple[str, str]], where: str) -> Any:
    """The output of COPY … TO STDOUT (FORMAT csv) as a pyarrow table."""
    buffer.seek(0)
    types = {name: cells.arrow_type(kind) for name, kind in columns}
    if not buffer.getbuffer().nbytes:
        return pa.table({name: pa.array([], kind) for name, kind in types.items()})
    try:
        return pa.csv.read_csv(
            buffer,
            pa.csv.ReadOptions(column_names=list(types), block_size=1 << 26),
            _PARSE,
            pa.csv.ConvertOptions(
                column_types=types, null_values=[""], strings_can_be_null=True,
                quoted_strings_can_be_null=False, true_values=["t"], false_values=["f"],
            ),
        )  # fmt: skip
    except pa.ArrowException:
        problem = (
            "a column has dates, times or numbers that cannot be counted or written to a file, "
            "such as infinity or a year before 1"
        )
        fix = "replace them with null, or read them as text: ?query=SELECT%20…::text"
        raise ValueRangeError(Fault(where, problem, fix)) from None


def lines(batch: Any) -> bytes:
    """Rows as COPY … FROM STDIN reads them: tabs between cells, ``\\N`` for null."""
    if not batch.num_rows:
        return b""
    tab, end, empty, null = (pa.scalar(text, pa.large_string()) for text in ("\t", "\n", "", "\\N"))
    columns = [pc.fill_null(_text(column), null) for column in batch.columns]
    joined = pc.binary_join_element_wise(*columns, tab)
    ended = pc.binary_join_element_wise(joined, empty, end)
    _, ends, data = ended.buffers()
    last = pa.Array.from_buffers(pa.int64(), len(ended) + 1, [None, ends])[-1].as_py()
    return bytes(data[:last])


def check_schema(schema: Any, where: str) -> None:
    """TableError with every column whose name or type PostgreSQL does not have."""
    faults = []
    for field in schema:
        if cells.postgres_type(plain_type(field.type)) is None:
            problem = "PostgreSQL has no type for this column"
            faults.append(Fault(field.name, problem, "convert it to text first, or leave it out"))
        if len(field.name.encode()) > MAX_NAME_BYTES or "\0" in field.name:
            problem = f"the name of column {schema.get_field_index(field.name) + 1} is longer than "
            problem += f"{MAX_NAME_BYTES} bytes, or contains NUL: PostgreSQL allows neither"
            faults.append(Fault(where, problem, "rename the column"))
    if faults:
        raise TableError(faults)


def _text(column: Any) -> Any:
    """A column as text, escaped for COPY."""
    column = column.cast(plain_type(column.type))
    if pa.types.is_timestamp(column.type):
        zone = column.type.tz and "UTC"
        column = column.cast(pa.timestamp("us", tz=zone))
    shown = column.cast(pa.large_string())
    if column.type in (pa.string(), pa.large_string(), pa.string_view()):
        for raw, escaped in _ESCAPED:
            shown = pc.replace_substring(shown, raw, escaped)
    return shown
