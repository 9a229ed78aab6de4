"""Types of Arrow columns without dictionaries, which may list cells that no row has."""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def without_dictionaries(rows: Any) -> Any:
    """Only cells and names: the rows in types without dictionaries and without metadata."""
    return rows.cast(pa.schema([(field.name, plain_type(field.type)) for field in rows.schema]))


def plain_type(kind: Any) -> Any:
    """The type without dictionaries, also inside lists and structs; a null type is text."""
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if pa.types.is_null(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(plain_type(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(inner.name, plain_type(inner.type)) for inner in kind])
    return kind
