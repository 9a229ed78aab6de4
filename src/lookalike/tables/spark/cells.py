"""How Spark compares, shows and sorts a cell: its text is the same as DuckDB's."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

TEXT = "string"
ZONED = "timestamp"
_AS_THEY_ARE = re.compile(r"tinyint|smallint|int|bigint|boolean|date|timestamp_ntz|decimal\(.*\)")
_FLOATS = {"double": "D", "float": "F"}
FLOAT_TEXT = "_lookalike_float"  # our own function: Java writes floats differently


def key(column: str, kind: str) -> str:
    if _AS_THEY_ARE.fullmatch(kind):
        return column
    if kind == "double":
        return f"CASE WHEN isnan({column}) THEN NULL ELSE {column} + 0.0D END"
    if kind == "float":  # through text, so that 0.1 is Python's 0.1
        return (
            f"CASE WHEN isnan({column}) THEN NULL "
            f"ELSE CAST(CAST({column} AS STRING) AS DOUBLE) + 0.0D END"
        )
    if kind == ZONED:
        return f"convert_timezone('UTC', CAST({column} AS TIMESTAMP_NTZ))"
    return text(column, kind)


def text(column: str, kind: str) -> str:
    if kind in _FLOATS:
        return f"{FLOAT_TEXT}{_FLOATS[kind]}({column})"
    if kind == ZONED:
        return f"(CAST({key(column, kind)} AS STRING) || '+00')"
    if kind.startswith("string collate"):
        return f"({column} COLLATE UTF8_BINARY)"
    return column if kind == TEXT else f"CAST({column} AS STRING)"


def canonical(column: str, kind: str) -> str:
    return f"CAST({key(column, kind)} AS {kind})" if kind in _FLOATS else column


def sort_key(column: str, kind: str) -> str:
    if kind == ZONED or _AS_THEY_ARE.fullmatch(kind):
        return column
    return key(column, kind) if kind in _FLOATS else text(column, kind)


def lists_values(kind: str) -> bool:
    return False


def hash_of(keys: Sequence[str]) -> str:
    return f"xxhash64({', '.join(keys)})"


def distinct_estimate(keys: Sequence[str]) -> str:
    return f"approx_count_distinct({hash_of(keys)})"


def octets(text: str) -> str:
    return f"octet_length({text})"


def sha256_hex(text: str) -> str:
    return f"sha2({text}, 256)"


def sha256_of_entries(entry: str, place: str) -> str:
    pairs = f"array_sort(collect_list(struct({place}, {entry})))"
    return sha256_hex(f"array_join(transform({pairs}, pair -> pair.{entry}), '')")


def number(text: str) -> str:
    return f"try_cast({text} AS DOUBLE)"


def double_text(cell: float | None) -> str | None:
    """As DuckDB writes a double, which is how Python writes it; NaN is null, -0.0 is 0.0."""
    return None if cell is None or math.isnan(cell) else repr(cell + 0.0)


def float_text(cell: float | None) -> str | None:
    """The same for a number of 32 bits, which has fewer digits."""
    if cell is None or math.isnan(cell):
        return None
    import numpy as np

    return repr(float(str(np.float32(cell + 0.0))))
