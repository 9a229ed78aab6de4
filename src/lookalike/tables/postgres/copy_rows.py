"""Rows in and out by COPY: out as CSV, which Arrow reads; in as lines of text, which nothing ends.

COPY takes a line ``\\.`` of CSV for the end of the data; in lines of text a backslash is doubled.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from lookalike.errors import Fault, TableError
from lookalike.tables.postgres import cells

_PARSED = pa.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)
_ESCAPED = (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"))
LONGEST = 63  # bytes of a name; the server cuts off what is more


def read(held: io.BytesIO, columns: Sequence[tuple[str, str]], where: str) -> Any:
    """What COPY … TO STDOUT (FORMAT csv) gave, as a pyarrow table."""
    types = {name: cells.arrow(kind) for name, kind in columns}
    if not held.getbuffer().nbytes:
        return pa.table({name: pa.array([], kind) for name, kind in types.items()})
    try:
        return pa.csv.read_csv(
            held,
            pa.csv.ReadOptions(column_names=list(types), block_size=1 << 26),
            _PARSED,
            pa.csv.ConvertOptions(
                column_types=types, null_values=[""], strings_can_be_null=True,
                quoted_strings_can_be_null=False, true_values=["t"], false_values=["f"],
            ),
        )  # fmt: skip
    except pa.ArrowException:
        problem = (
            "a column holds dates, times or numbers beyond what can be counted or written to a "
            "file, as infinity or a year before 1"
        )
        fix = "replace them by null, or read them as text: ?query=SELECT%20…::text"
        raise TableError(Fault(where, problem, fix)) from None


def lines(batch: Any) -> bytes:
    """As COPY … FROM STDIN reads it: tabs between cells, ``\\N`` for null."""
    if not batch.num_rows:
        return b""
    tab, end, nothing, null = (
        pa.scalar(text, pa.large_string()) for text in ("\t", "\n", "", "\\N")
    )
    columns = [pc.fill_null(_text(column), null) for column in batch.columns]
    joined = pc.binary_join_element_wise(*columns, tab)
    ended = pc.binary_join_element_wise(joined, nothing, end)
    _, ends, data = ended.buffers()
    last = pa.Array.from_buffers(pa.int64(), len(ended) + 1, [None, ends])[-1].as_py()
    return bytes(data[:last])


def check_can_be_sent(schema: Any, where: str) -> None:
    """Every column that PostgreSQL has no name or no type for is a fault."""
    faults = []
    for field in schema:
        if cells.postgres(plain(field.type)) is None:
            problem = "PostgreSQL has no type for what it holds"
            faults.append(Fault(field.name, problem, "turn it into text first, or leave it out"))
        if len(field.name.encode()) > LONGEST or "\0" in field.name:
            problem = f"the name of column {schema.get_field_index(field.name) + 1} is longer than "
            problem += f"{LONGEST} bytes, or holds NUL: PostgreSQL has no such names"
            faults.append(Fault(where, problem, "rename the column"))
    if faults:
        raise TableError(faults)


def plain(kind: Any) -> Any:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _text(column: Any) -> Any:
    """A column as text that COPY does not take for anything else."""
    column = column.cast(plain(column.type))
    if pa.types.is_timestamp(column.type):
        zone = column.type.tz and "UTC"
        column = column.cast(pa.timestamp("us", tz=zone))
    words = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    shown = column.cast(pa.large_string())
    if words or pa.types.is_string_view(column.type):
        for raw, escaped in _ESCAPED:
            shown = pc.replace_substring(shown, raw, escaped)
    return shown
