"""How PostgreSQL compares, shows and sorts a cell: shown as DuckDB would show it, byte for byte."""

from __future__ import annotations

import re

import pyarrow as pa

TEXT = "text"
_WHOLE = {"int2": pa.int16(), "int4": pa.int32(), "int8": pa.int64()}
_TIMES = {
    "bool": pa.bool_(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp": pa.timestamp("us"),
}
_FLOATS = {"float4", "float8"}
_TEXTS = re.compile(r"(text|varchar|bpchar|char|name|citext)(\(\d+\))?")
_NUMERIC = re.compile(r"numeric\((\d+), ?(-?\d+)\)")
_KNOWN = {*_WHOLE, *_TIMES, *_FLOATS, "timestamptz", "numeric", "uuid", "interval", "bytea"} | {
    "json", "jsonb", "xml", "timetz", "inet", "cidr", "macaddr", "oid", "money", "bit", "varbit",
}  # fmt: skip
ZONED = "timestamptz"


def arrow(kind: str) -> pa.DataType:
    """The Arrow type of a cell of this kind; text for what has none."""
    if found := (_WHOLE | _TIMES).get(kind):
        return found
    if kind in _FLOATS:
        return pa.float64()
    digits = _NUMERIC.fullmatch(kind)
    if digits and int(digits[1]) <= 38 and 0 <= int(digits[2]) <= int(digits[1]):
        return pa.decimal128(int(digits[1]), int(digits[2]))
    return pa.string()


def postgres(kind: pa.DataType) -> str:
    """The type to store an Arrow column as."""
    names = {type_: name for name, type_ in (_WHOLE | _TIMES).items()}
    if kind in names:
        return names[kind]
    if pa.types.is_unsigned_integer(kind) or pa.types.is_integer(kind):
        return "int8" if kind.bit_width <= 32 or kind == pa.int64() else "numeric(20, 0)"
    if pa.types.is_floating(kind):
        return "float4" if kind.bit_width <= 32 else "float8"
    if pa.types.is_decimal(kind):
        return f"numeric({kind.precision}, {kind.scale})"
    if pa.types.is_timestamp(kind):
        return "timestamptz" if kind.tz else "timestamp"
    return "time" if pa.types.is_time(kind) else TEXT


def key(column: str, kind: str) -> str:
    if kind in _WHOLE or kind in _TIMES:
        return column
    if kind == "float8":
        return f"CASE WHEN {column} = 'NaN' THEN NULL ELSE {column} + 0.0::float8 END"
    if kind == "float4":
        return (
            f"CASE WHEN {column} = 'NaN' THEN NULL ELSE CAST(CAST({column} AS text) AS float8) "
            "+ 0.0::float8 END"
        )
    if kind == ZONED:
        return f"({column} AT TIME ZONE 'UTC')"
    if pa.types.is_decimal(arrow(kind)):
        return f"NULLIF({column}, 'NaN')"
    return text(column, kind)


def text(column: str, kind: str) -> str:
    if kind in _FLOATS:
        shown = _float(column, kind)
    elif kind == ZONED:
        shown = f"(CAST({column} AT TIME ZONE 'UTC' AS text) || '+00')"
    elif pa.types.is_decimal(arrow(kind)):
        shown = f"CAST(NULLIF({column}, 'NaN') AS text)"
    elif kind.startswith("numeric"):  # with no scale of its own 1.5 and 1.50 are equal
        shown = f"CAST(trim_scale(NULLIF({column}, 'NaN')) AS text)"
    else:
        shown = f"CAST({column} AS text)"
    return f'{shown} COLLATE "C"'


def released(column: str, kind: str) -> str:
    if is_list(kind):
        return text(column, kind)
    if kind in _FLOATS:
        return f"CAST({key(column, kind)} AS {kind})"
    if kind.startswith("numeric"):
        return f"trim_scale(NULLIF({column}, 'NaN'))" if kind == "numeric" else key(column, kind)
    return column


def order(column: str, kind: str) -> str:
    if kind in _WHOLE or kind in _TIMES or kind == ZONED or kind.startswith("numeric"):
        return column
    return key(column, kind) if kind in _FLOATS else text(column, kind)


def is_list(kind: str) -> bool:
    """A type that somebody made, as an enumeration, lists or tells values."""
    plain = kind.partition("(")[0].removesuffix("[]")
    return plain not in _KNOWN and not _TEXTS.fullmatch(plain)


def _float(column: str, kind: str) -> str:
    """1 as 1.0, and whole numbers of sixteen digits without an exponent, as DuckDB writes them."""
    cell = f"({column} + 0.0::{kind})"
    shown = f"CAST({cell} AS text)"
    return (
        f"CASE WHEN {column} = 'NaN' THEN NULL WHEN {column} IN ('Infinity', '-Infinity') "
        f"THEN replace(lower({shown}), 'infinity', 'inf') "
        f"WHEN abs({column}) >= 1e15 AND abs({column}) < 1e16 "
        f"THEN CAST(CAST({cell} AS numeric) AS text) || '.0' "
        f"WHEN {shown} ~ '^-?[0-9]+$' THEN {shown} || '.0' ELSE {shown} END"
    )
