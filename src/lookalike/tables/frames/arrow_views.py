"""Arrow's view types: held as plain text and bytes, and views again in what is handed back.

A column of type string_view or binary_view is a list of places in a shared buffer. pyarrow and
pandas cannot take rows of such a column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from lookalike.errors import Fault, TableError

_PLAIN = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
_FIX = "cast it to string or binary before, with pyarrow"


def without_views(table: Any) -> tuple[Any, dict[str, Any]]:
    """A pyarrow table in types without views, and the types of the columns that had them."""
    types, faults = {}, []
    for i, field in enumerate(table.schema):
        plain = plain_type(field.type)
        if plain == field.type:
            continue
        try:
            table = table.set_column(i, field.with_type(plain), table.column(i).cast(plain))
        except pa.ArrowException:
            problem = "it has views of a kind that pyarrow cannot take rows of"
            faults.append(Fault(field.name, problem, _FIX))
        types[field.name] = field.type
    if faults:
        raise TableError(faults)
    return table, types


def with_views(table: Any, types: Mapping[str, Any]) -> Any:
    """The table with these columns cast to these types."""
    fields = [field.with_type(types.get(field.name, field.type)) for field in table.schema]
    return table.cast(pa.schema(fields, table.schema.metadata)) if types else table


def check_no_views(frame: Any) -> None:
    """TableError if a pandas frame has views: pandas can neither show nor copy them."""
    kinds = {name: getattr(dtype, "pyarrow_dtype", None) for name, dtype in frame.dtypes.items()}
    problem = "pandas cannot take rows of an Arrow column of this type"
    if faults := [
        Fault(str(name), problem, _FIX)
        for name, kind in kinds.items()
        if kind is not None and plain_type(kind) != kind
    ]:
        raise TableError(faults)


def plain_type(kind: Any) -> Any:
    """The type with text and bytes in place of views, also inside other types."""
    for is_nested, rebuild in _NESTED:
        if is_nested(kind):
            return rebuild(kind)
    return _PLAIN.get(kind, kind)


def _plain_field(field: Any) -> Any:
    return field.with_type(plain_type(field.type))


def _plain_map(kind: Any) -> Any:
    key, item = _plain_field(kind.key_field), _plain_field(kind.item_field)
    return pa.map_(key, item, kind.keys_sorted)


_NESTED: tuple[tuple[Callable[[Any], bool], Callable[[Any], Any]], ...] = (
    (pa.types.is_dictionary,
     lambda kind: pa.dictionary(kind.index_type, plain_type(kind.value_type), kind.ordered)),
    (pa.types.is_struct, lambda kind: pa.struct([_plain_field(field) for field in kind])),
    (pa.types.is_map, _plain_map),
    (pa.types.is_list, lambda kind: pa.list_(_plain_field(kind.value_field))),
    (pa.types.is_large_list, lambda kind: pa.large_list(_plain_field(kind.value_field))),
    (pa.types.is_fixed_size_list,
     lambda kind: pa.list_(_plain_field(kind.value_field), kind.list_size)),
    (pa.types.is_list_view, lambda kind: pa.list_view(_plain_field(kind.value_field))),
    (pa.types.is_large_list_view,
     lambda kind: pa.large_list_view(_plain_field(kind.value_field))),
    (pa.types.is_run_end_encoded,
     lambda kind: pa.run_end_encoded(kind.run_end_type, plain_type(kind.value_type))),
)  # fmt: skip
