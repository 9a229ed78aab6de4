"""A frame's column as an Arrow column that DuckDB reads; what has no such type becomes text."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import pyarrow as pa

from lookalike.errors import Fault, TableError
from lookalike.policy.cell_text import text

# Python types of an object column that, when alone in it, have an Arrow type of their own
_PURE = {
    str: pa.string(),
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    datetime.date: pa.date32(),
    datetime.time: pa.time64("us"),
    decimal.Decimal: None,  # as many digits as it takes
}
_CANNOT = (pa.ArrowException, TypeError, ValueError, OverflowError, NotImplementedError)


def arrow_column(native: Any, kind: str, name: str) -> Any:
    """The column ``name`` of a pandas, polars or pyarrow frame as a pyarrow array."""
    try:
        if kind == "pandas":
            return _from_pandas(native[name])
        if kind == "polars":
            return _from_polars(native.get_column(name))
        return _from_arrow(native.column(name))
    except UnicodeEncodeError:
        problem = "it holds text that is not valid Unicode"
        raise TableError(Fault(name, problem, "clean its text")) from None


def _from_pandas(series: Any) -> Any:
    if hasattr(series, "cat"):
        categories = _from_pandas(series.cat.categories.to_series())
        codes = series.cat.codes.to_numpy()
        return categories.take(pa.array(codes, mask=codes < 0))
    if series.dtype == object:
        return _from_objects(series.tolist(), series.isna().to_numpy())
    try:
        return _readable(pa.array(series, from_pandas=True))
    except UnicodeEncodeError:
        raise
    except _CANNOT:
        return _as_text(series.astype(object).tolist(), series.isna().to_numpy())


def _from_polars(series: Any) -> Any:
    import polars as pl

    if isinstance(series.dtype, pl.Categorical | pl.Enum):
        series = series.cast(pl.String)
    if series.dtype == pl.Object:
        return _from_objects(series.to_list(), series.is_null().to_numpy())
    return _from_arrow(series.to_arrow())


def _from_arrow(column: Any) -> Any:
    try:
        return _readable(column)
    except _CANNOT:
        values = column.to_pylist()
        return _as_text(values, [value is None for value in values])


def _from_objects(values: list[Any], null: Any) -> Any:
    """One type throughout: that type. Several: text, as ``policy.text`` writes it."""
    kinds = {type(value) for value, missing in zip(values, null, strict=True) if not missing}
    if len(kinds) == 1 and (kind := kinds.pop()) in _PURE:
        try:
            return _readable(pa.array(values, type=_PURE[kind], mask=null, from_pandas=True))
        except UnicodeEncodeError:
            raise
        except _CANNOT:  # an int beyond 64 bits, say
            pass
    return _as_text(values, null)


def _as_text(values: list[Any], null: Any) -> Any:
    shown = [None if gone else text(value) for value, gone in zip(values, null, strict=True)]
    return pa.array(shown, type=pa.string())


def _readable(column: Any) -> Any:
    """The column in a type that DuckDB has."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _readable(column.cast(kind.value_type))
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    if (
        isinstance(kind, pa.BaseExtensionType)
        or pa.types.is_decimal256(kind)
        or pa.types.is_run_end_encoded(kind)
    ):
        raise NotImplementedError(f"DuckDB has no {kind}")
    return column
