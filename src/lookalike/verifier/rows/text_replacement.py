"""Replace the texts of columns in a table of rows: by labels, or by pseudonyms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from lookalike.verifier.rows.text_codes import encoded

Labels = Mapping[str | None, str | None]


def relabelled(rows: Any, columns: Sequence[str], labels: Mapping[str, Labels]) -> Any:
    """Rows over ``columns``, with labels in place of texts; KeyError if a text has no label."""
    for name, label_of in labels.items():
        at = list(columns).index(name)
        codes, texts = encoded(rows.column(f"c{at}").combine_chunks())
        shown = pa.array([label_of[text] for text in texts], pa.string()).take(pa.array(codes))
        rows = rows.set_column(at, f"c{at}", shown)
    return rows
