"""A table with a marker in the row that is suppressed and in the column that is removed."""

from __future__ import annotations

import io

import pyarrow as pa
from pyarrow import ipc

import lookalike as la

MARKER = "MARKER-of-a-person-who-is-not-in-the-release"
KEPT = 24
POLICY = la.Policy(
    quasi_identifiers={"age": la.bands(10, 20), "town": la.flat()},
    identifiers=["name"],
    sensitive=["ill"],
    insensitive=["note"],
    require=la.KAnonymity(4),
    suppress=1,
)
COLUMNS = {
    "name": [MARKER] * (KEPT + 1),  # removed
    "age": [*(30 + n % 10 for n in range(KEPT)), 99],
    "town": [*(f"a town with a long name {n % 2}" for n in range(KEPT)), MARKER],
    "ill": [*(f"an illness with a long name {n % 3}" for n in range(KEPT)), MARKER],
    "note": [*(f"a note with many words {n % 7}" for n in range(KEPT)), MARKER],
}
TEXTS = ("town", "ill", "note")


def plain() -> pa.Table:
    return pa.table(COLUMNS)


def arrow_bytes(table: pa.Table) -> bytes:
    """All buffers, and an IPC stream."""
    out = io.BytesIO()
    with ipc.new_stream(out, table.schema) as stream:
        stream.write_table(table)
    for column in table.columns:
        for chunk in column.chunks:
            out.write(b"".join(bytes(buffer) for buffer in chunk.buffers() if buffer is not None))
    return out.getvalue()
