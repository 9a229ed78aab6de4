"""How DuckDB compares, shows and sorts a cell, by the type of its column.

Compared: NaN is null, -0.0 is 0.0, text is compared byte by byte, without the collation of the
connection or the column. Shown: as DuckDB casts it to text, so that a frame and the file written
from it have the same text; times with a zone are shown in UTC. Sorted: by value where values have
an order, else by text.
"""

from __future__ import annotations

from collections.abc import Sequence

TOO_FINE = "lookalike: finer than a microsecond"  # Python's datetime has no nanoseconds

# isnan() does not work: Parquet's statistics leave NaN out, and DuckDB, trusting them, assumes that
# isnan() is false in a column whose largest value is finite
_NAN = "NOT isfinite({0}) AND {0} <> 'inf'::DOUBLE AND {0} <> '-inf'::DOUBLE"
_INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}
_UNSIGNED = {"UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
_AS_THEY_ARE = {"BOOLEAN", "DATE", "TIME", "TIMESTAMP"} | _INTEGERS | _UNSIGNED
_SORTABLE = _AS_THEY_ARE | {"HUGEINT", "UHUGEINT", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}
ZONED = "TIMESTAMP WITH TIME ZONE"
TEXT = "VARCHAR"


def key(column: str, kind: str) -> str:
    """As ``Cells.key``."""
    if kind in _AS_THEY_ARE or kind.startswith("DECIMAL"):
        return column
    template = _KEYS.get(kind)
    return template.format(column) if template else text(column, kind)


def canonical(column: str, kind: str) -> str:
    """As ``Cells.canonical``."""
    if lists_values(kind):  # its type lists values that no released row may have
        return text(column, kind)
    return f"CAST({key(column, kind)} AS {kind})" if kind in {"DOUBLE", "FLOAT"} else column


_KEYS = {
    "DOUBLE": f"CASE WHEN {_NAN} THEN NULL ELSE {{0}} + 0.0::DOUBLE END",
    # through text, so that 0.1 is Python's 0.1 and not 0.10000000149011612
    "FLOAT": f"CASE WHEN {_NAN} THEN NULL "
    "ELSE CAST(CAST({0} AS VARCHAR) AS DOUBLE) + 0.0::DOUBLE END",
    "TIMESTAMP_S": "CAST({0} AS TIMESTAMP)",
    "TIMESTAMP_MS": "CAST({0} AS TIMESTAMP)",
    "TIMESTAMP_NS": "CASE WHEN {0} IS NULL THEN NULL "
    "WHEN epoch_ns({0}) % 1000 = 0 THEN CAST({0} AS TIMESTAMP) "
    f"ELSE error('{TOO_FINE}') END",
    ZONED: "({0} AT TIME ZONE 'UTC')",
}


def text(column: str, kind: str) -> str:
    """As ``Cells.text``."""
    if kind in {"DOUBLE", "FLOAT"}:
        shown = f"CAST({column} + 0.0::{kind} AS VARCHAR)"
        shown = f"CASE WHEN {_NAN.format(column)} THEN NULL ELSE {shown} END"
    elif kind == ZONED:
        shown = f"(CAST({column} AT TIME ZONE 'UTC' AS VARCHAR) || '+00')"
    else:
        shown = f"CAST({column} AS VARCHAR)"
    return f'{shown} COLLATE "C"'


def sort_key(column: str, kind: str) -> str:
    """As ``Cells.sort_key``."""
    if kind in _SORTABLE or kind == ZONED or kind.startswith("DECIMAL"):
        return column
    return key(column, kind) if kind in {"DOUBLE", "FLOAT"} else text(column, kind)


def lists_values(kind: str) -> bool:
    return kind.startswith("ENUM")


def hash_of(keys: Sequence[str]) -> str:
    return f"hash({', '.join(keys)})"


def distinct_estimate(keys: Sequence[str]) -> str:
    return f"approx_count_distinct({hash_of(keys)})"


def octets(text: str) -> str:
    return f"strlen({text})"


def sha256_hex(text: str) -> str:
    return f"sha256({text})"


def sha256_of_entries(entry: str, place: str) -> str:
    return f"sha256(string_agg({entry}, '' ORDER BY {place}))"


def number(text: str) -> str:
    return f"TRY_CAST({text} AS DOUBLE)"
