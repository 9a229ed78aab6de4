"""How a cell is compared, shown and sorted in SQL, by the type of its column.

Compared: NaN is null, -0.0 is 0.0, text is compared byte by byte whatever collation the connection
or the column has. Shown: as DuckDB casts it to text, so that a frame and the file written from it
read the same; times with a zone are shown in UTC. Sorted: by value where values have an order,
else by text.
"""

from __future__ import annotations

TOO_FINE = "lookalike: finer than a microsecond"  # Python's datetime holds no nanoseconds

# isnan() will not do: Parquet's statistics leave NaN out, and DuckDB, trusting them, takes isnan()
# of a column whose greatest value is finite for false without looking
_NAN = "NOT isfinite({0}) AND {0} <> 'inf'::DOUBLE AND {0} <> '-inf'::DOUBLE"
_INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}
_UNSIGNED = {"UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
_AS_THEY_ARE = {"BOOLEAN", "DATE", "TIME", "TIMESTAMP"} | _INTEGERS | _UNSIGNED
_SORTABLE = _AS_THEY_ARE | {"HUGEINT", "UHUGEINT", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}
ZONED = "TIMESTAMP WITH TIME ZONE"


def key(column: str, kind: str) -> str:
    """The value to group and join by; Python sees it as int, str, float, date, Decimal, bool …"""
    if kind in _AS_THEY_ARE or kind.startswith("DECIMAL"):
        return column
    template = _KEYS.get(kind)
    return template.format(column) if template else text(column, kind)


def released(column: str, kind: str) -> str:
    """A quasi-identifier's own value, in one form: NaN as null, -0.0 as 0.0, or rows that count as
    lookalikes could be told apart by it.
    """
    if kind.startswith("ENUM"):  # its type lists values that no released row may hold
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
    """The cell as text; null stays null."""
    if kind in {"DOUBLE", "FLOAT"}:
        shown = f"CAST({column} + 0.0::{kind} AS VARCHAR)"
        shown = f"CASE WHEN {_NAN.format(column)} THEN NULL ELSE {shown} END"
    elif kind == ZONED:
        shown = f"(CAST({column} AT TIME ZONE 'UTC' AS VARCHAR) || '+00')"
    else:
        shown = f"CAST({column} AS VARCHAR)"
    return f'{shown} COLLATE "C"'


def order(column: str, kind: str) -> str:
    """What to sort by."""
    if kind in _SORTABLE or kind == ZONED or kind.startswith("DECIMAL"):
        return column
    if kind in {"DOUBLE", "FLOAT"}:
        return key(column, kind)
    return text(column, kind)
