"""Replace the texts of a column in a table of rows: by labels, or by pseudonyms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

Labels = Mapping[str | None, str | None]


def replaced(rows: Any, place: str, labels: Labels) -> Any:
    """One column with labels in place of texts; KeyError if a text has no label."""
    column = rows.column(place).combine_chunks().dictionary_encode(null_encoding="encode")
    texts = [labels[text] for text in column.dictionary.to_pylist()]
    shown = pa.array(texts, pa.string()).take(column.indices)
    return rows.set_column(rows.schema.get_field_index(place), place, shown)


def with_pseudonyms(rows: Any, columns: Sequence[str], pseudonyms: Mapping[str, Labels]) -> Any:
    """Rows over ``columns``, with pseudonyms in place of values."""
    for name, labels in pseudonyms.items():
        rows = replaced(rows, f"c{list(columns).index(name)}", labels)
    return rows
