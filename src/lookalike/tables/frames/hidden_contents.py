"""Remove what a frame carries besides its cells, and a release must not show.

Categories that no released row has can reveal suppressed people. The order in which categories
first appeared reveals the order of the rows. Metadata can hold anything.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pyarrow as pa


def remove_hidden_contents(native: Any, kind: str) -> Any:
    """The frame with its cells and types, and nothing else."""
    return {"pandas": _pandas, "polars": _polars}.get(kind, _arrow)(native)


def _pandas(frame: Any) -> Any:
    frame = frame.copy(deep=False)
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
    import polars as pl

    columns = []
    for column in frame.iter_columns():
        if isinstance(column.dtype, pl.Enum):
            present = set(column.cast(pl.String).unique())
            used = [category for category in column.dtype.categories if category in present]
            columns.append(column.cast(pl.String).cast(pl.Enum(used)))
        elif isinstance(column.dtype, pl.Categorical):
            columns.append(column.cast(pl.String).cast(pl.Categorical()))
    return frame.with_columns(columns)


def _arrow(table: Any) -> Any:
    columns = list(table.columns)
    for i, kind in enumerate(table.schema.types):
        if pa.types.is_dictionary(kind):
            plain = columns[i].cast(kind.value_type).combine_chunks()
            columns[i] = plain.dictionary_encode().cast(kind)
    fields = [field.remove_metadata() for field in table.schema]
    return pa.table(columns, schema=pa.schema(fields))
