"""How PostgreSQL compares, shows and sorts a cell: its text is the same as DuckDB's."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa

TEXT = "text"
_WHOLE = {"int2": pa.int16(), "int4": pa.int32(), "int8": pa.int64()}
_TIMES = {
    "bool": pa.bool_(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp": pa.timestamp("us"),
}
_WORDS = (pa.string(), pa.large_string(), pa.string_view(), pa.null())
_FLOATS = {"float4", "float8"}
_TEXTS = re.compile(r"(text|varchar|bpchar|char|name|citext)(\(\d+\))?")
_NUMERIC = re.compile(r"numeric\((\d+), ?(-?\d+)\)")
_KNOWN = {*_WHOLE, *_TIMES, *_FLOATS, "timestamptz", "numeric", "uuid", "interval", "bytea"} | {
    "json", "jsonb", "xml", "timetz", "inet", "cidr", "macaddr", "oid", "money", "bit", "varbit",
}  # fmt: skip
ZONED = "timestamptz"
_NUMBER = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?$"
_SECONDS = re.compile(r"(time|timetz|timestamp|timestamptz|interval)\(\d+\)")


def arrow_type(kind: str) -> pa.DataType:
    """The Arrow type for a PostgreSQL type; text if there is none."""
    if kind in _WHOLE | _TIMES:
        return (_WHOLE | _TIMES)[kind]
    if kind in _FLOATS:
        return pa.float64()
    digits = _NUMERIC.fullmatch(kind)
    if digits and int(digits[1]) <= 38 and 0 <= int(digits[2]) <= int(digits[1]):
        return pa.decimal128(int(digits[1]), int(digits[2]))
    return pa.string()


def without_precision(kind: str) -> str:
    """A time type without the number of digits of its seconds."""
    return _SECONDS.sub(r"\1", kind)


def postgres_type(kind: pa.DataType) -> str | None:
    """The PostgreSQL type for an Arrow type; None if there is none."""
    names = {type_: name for name, type_ in (_WHOLE | _TIMES).items()}
    name = names.get(kind, TEXT if kind in _WORDS else None)
    if name is None and pa.types.is_integer(kind):
        name = "int8" if kind.bit_width <= 32 else "numeric(20, 0)"
    elif pa.types.is_floating(kind):
        name = "float4" if kind.bit_width <= 32 else "float8"
    elif pa.types.is_decimal(kind):
        name = f"numeric({kind.precision}, {kind.scale})"
    elif pa.types.is_timestamp(kind):
        name = ZONED if kind.tz else "timestamp"
    elif pa.types.is_time(kind):
        name = "time"
    return name


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
    if pa.types.is_decimal(arrow_type(kind)):
        return f"NULLIF({column}, 'NaN')"
    return text(column, kind)


def text(column: str, kind: str) -> str:
    if kind in _FLOATS:
        shown = _float(column, kind)
    elif kind == ZONED:
        shown = f"(CAST({column} AT TIME ZONE 'UTC' AS text) || '+00')"
    elif pa.types.is_decimal(arrow_type(kind)):
        shown = f"CAST(NULLIF({column}, 'NaN') AS text)"
    elif kind.startswith("numeric"):  # without a scale of its own, 1.5 and 1.50 are equal
        shown = f"CAST(trim_scale(NULLIF({column}, 'NaN')) AS text)"
    else:
        shown = f"CAST({column} AS text)"
    return f'{shown} COLLATE "C"'


def canonical(column: str, kind: str) -> str:
    if lists_values(kind):
        return text(column, kind)
    if kind in _FLOATS:
        return f"CAST({key(column, kind)} AS {kind})"
    if kind.startswith("numeric"):
        return f"trim_scale(NULLIF({column}, 'NaN'))" if kind == "numeric" else key(column, kind)
    return column


def export(column: str, kind: str) -> str:
    """The cell as it leaves the server for a file, where it has the same text."""
    if kind == ZONED or pa.types.is_decimal(arrow_type(kind)):
        return key(column, kind)
    return text(column, kind) if arrow_type(kind) == pa.string() else column


def sort_key(column: str, kind: str) -> str:
    """Numbers by value, others by text: that is by value for dates from year 1 to 9999."""
    if kind in _WHOLE or kind.startswith("numeric"):
        return column
    return key(column, kind) if kind in _FLOATS else text(column, kind)


def lists_values(kind: str) -> bool:
    """Is it a user-defined type? An enumeration, for example, lists values."""
    plain = kind.partition("(")[0].removesuffix("[]")
    return plain not in _KNOWN and not _TEXTS.fullmatch(plain)


def hash_of(keys: Sequence[str]) -> str:
    return f"hashtextextended(CAST(ROW({', '.join(keys)}) AS text), 0)"


def distinct_estimate(keys: Sequence[str]) -> str:
    return f"count(DISTINCT {hash_of(keys)})"


def octets(text: str) -> str:
    return f"octet_length(convert_to({text}, 'UTF8'))"


def sha256_hex(text: str) -> str:
    return f"encode(sha256(convert_to({text}, 'UTF8')), 'hex')"


def sha256_of_entries(entry: str, place: str) -> str:
    return sha256_hex(f"string_agg({entry}, '' ORDER BY {place})")


def number(text: str) -> str:
    """Infinities are numbers, as in floats."""
    is_number = f"{text} ~ '{_NUMBER}' OR {text} IN ('inf', '-inf', 'Infinity', '-Infinity')"
    return f"CASE WHEN {is_number} THEN CAST({text} AS numeric) END"


def _float(column: str, kind: str) -> str:
    """As DuckDB writes it: 1 as 1.0, and no exponent from 0.0001 up to sixteen digits.

    The cast goes through text, since a float that is cast to numeric loses its last digits.
    """
    shown = f"CAST(({column} + 0.0::{kind}) AS text)"
    fixed = f"CAST(CAST({shown} AS numeric) AS text)"
    return (
        f"CASE WHEN {column} = 'NaN' THEN NULL WHEN {column} IN ('Infinity', '-Infinity') "
        f"THEN replace(lower({shown}), 'infinity', 'inf') "
        f"WHEN {column} = 0 THEN '0.0' "
        f"WHEN abs({column}) < 1e-4 OR abs({column}) >= 1e16 THEN {shown} "
        f"WHEN {fixed} ~ '[.]' THEN {fixed} ELSE {fixed} || '.0' END"
    )
