"""Rows as text, one column replaced: each text by its label, or each value by its pseudonym."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

Labels = Mapping[str | None, str | None]


def replaced(rows: Any, place: str, labels: Labels) -> Any:
    """A text without a label is a KeyError."""
    column = rows.column(place).combine_chunks().dictionary_encode(null_encoding="encode")
    new = [labels[old] for old in column.dictionary.to_pylist()]
    shown = pa.array(new, pa.string()).take(column.indices)
    return rows.set_column(rows.schema.get_field_index(place), place, shown)


def with_pseudonyms(rows: Any, columns: Sequence[str], called: Mapping[str, Labels]) -> Any:
    """Rows over ``columns``, the pseudonyms ``called`` in place of values."""
    for name, labels in called.items():
        rows = replaced(rows, f"c{list(columns).index(name)}", labels)
    return rows
