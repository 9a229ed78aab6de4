"""Remove what a frame carries besides its cells, and a release must not show.

Categories that no released row has can reveal suppressed people. The order in which categories
first appeared reveals the order of the rows. Metadata and the names of axes can hold anything. A
text that is a view into a buffer keeps the whole buffer, with the texts of suppressed rows.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pyarrow as pa


def remove_hidden_contents(native: Any, kind: str) -> Any:
    """The frame with its cells and types, and nothing else."""
    return {"pandas": _pandas, "polars": _polars}.get(kind, _arrow)(native)


def _pandas(frame: Any) -> Any:
    frame = frame.rename_axis(columns=None)  # a copy
    frame.attrs = {}
    for name in frame.columns:
        if hasattr(frame[name], "cat"):
            column = frame[name].cat.remove_unused_categories()
            if not column.cat.ordered:
                with suppress(TypeError):  # categories of several types have no order
                    column = column.cat.reorder_categories(sorted(column.cat.categories))
            frame[name] = column
    return frame


def _polars(frame: Any) -> Any:
    return frame.select([_polars_column(column) for column in frame.iter_columns()])


def _polars_column(column: Any) -> Any:
    """The column in buffers of its own, with the categories that it has."""
    import polars as pl

    kind = column.dtype
    if isinstance(kind, pl.Enum):
        present = set(column.cast(pl.String).unique())
        used = [category for category in kind.categories if category in present]
        return _polars_column(column.cast(pl.String)).cast(pl.Enum(used))
    if isinstance(kind, pl.Categorical):
        return _polars_column(column.cast(pl.String)).cast(pl.Categorical())
    if kind.is_numeric() or kind.is_temporal() or kind in (pl.Boolean, pl.Null, pl.Object):
        return column  # rows were taken one by one
    copied = column.rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())
    return pl.Series(column.name, copied).cast(kind)


def _arrow(table: Any) -> Any:
    columns = list(table.columns)
    for i, kind in enumerate(table.schema.types):
        if pa.types.is_dictionary(kind):
            plain = columns[i].cast(kind.value_type).combine_chunks()
            columns[i] = plain.dictionary_encode().cast(kind)
        elif kind in (pa.string_view(), pa.binary_view()):
            copied = pa.large_string() if kind == pa.string_view() else pa.large_binary()
            columns[i] = columns[i].cast(copied).cast(kind)
    fields = [field.remove_metadata() for field in table.schema]
    return pa.table(columns, schema=pa.schema(fields))
