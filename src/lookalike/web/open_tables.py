"""Tables that pages look into, kept open for a while: opening one again would read it again."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import Any

from lookalike.tables.open import open_table
from lookalike.tables.row_pages import page
from lookalike.tables.table import Table

MOST = 4

_held: OrderedDict[tuple[str, float], tuple[Table, threading.Lock]] = OrderedDict()
_guard = threading.Lock()


def rows_of(source: str, start: int, rows: int) -> Any:
    """A stretch of a table as text, read by its engine: a pyarrow table."""
    table, alone = _opened(source)
    with alone:  # engines answer one question at a time
        return page(table, start, rows)


def _opened(source: str) -> tuple[Table, threading.Lock]:
    if "://" in source or source.startswith("duckdb:"):
        # kept open, it would hold on to a state of the database, or keep others from writing to it
        return open_table(source), threading.Lock()
    key = (source, os.stat(source).st_mtime if os.path.exists(source) else 0.0)  # noqa: PTH110, PTH116
    with _guard:
        if key not in _held:
            _held[key] = (open_table(source), threading.Lock())
            while len(_held) > MOST:
                _held.popitem(last=False)
        _held.move_to_end(key)
        return _held[key]
