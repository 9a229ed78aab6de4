"""A secret random sample of the rows of a table, from which a private release is made.

Only the code that draws the sample makes a ``SampledTable``. Its type tells other code that a
table is a sample, and how it was drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lookalike.tables.table import Table
from lookalike.tables.wrapped_table import WrappedTable

Draw = Callable[[int], NDArray[np.bool_]]  # from a number of rows to those that are drawn


@dataclass(frozen=True, slots=True, eq=False)
class SampledTable(WrappedTable):
    """The drawn rows, in memory; kind, name and path are those of the table they were drawn from.

    ``secret`` says whether nobody can guess or repeat the draw.
    """

    inner: Table
    kind: str
    name: str
    path: Path | None
    secret: bool
    address: Any = None


def sampled_table(table: Table, draw: Draw, *, secret: bool) -> SampledTable:
    """Draw rows of a table; frames keep their kind, and other tables become Arrow tables."""
    address = getattr(table, "address", None)
    return SampledTable(_drawn(table, draw), table.kind, table.name, table.path, secret, address)


def _drawn(table: Table, draw: Draw) -> Table:
    from lookalike.tables.frames.eager import FrameTable, open_frame
    from lookalike.tables.frames.lazy import LazyTable

    if isinstance(table, FrameTable):
        return table.take(np.flatnonzero(draw(table.rows())))
    if isinstance(table, LazyTable):
        return replace(table, inner=_drawn(table.inner, draw), original=None)
    batches = (batch.filter(pa.array(draw(batch.num_rows))) for batch in table.batches())
    return open_frame(pa.concat_tables(batches))
