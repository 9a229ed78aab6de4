"""Tables that pages show rows of, kept open for a while to avoid reading them again."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import Any

from lookalike import api
from lookalike.web.project.database_addresses import open_source

MAX_OPEN = 4

_cache: OrderedDict[tuple[str, float], tuple[api.Table, threading.Lock]] = OrderedDict()
_cache_lock = threading.Lock()


def read_rows(source: str, start: int, rows: int) -> Any:
    """Some rows of a table as text, read by its engine: a pyarrow table."""
    table, lock = _open(source)
    with lock:  # an engine answers one query at a time
        return api.read_page(table, start, rows)


def forget(source: str) -> None:
    """Close a table whose project is removed: it may have a copy of the file on disk."""
    with _cache_lock:
        for key in [key for key in _cache if key[0] == source]:
            del _cache[key]


def _open(source: str) -> tuple[api.Table, threading.Lock]:
    if "://" in source or source.startswith("duckdb:"):
        # an open connection would show an old state of the database, or block its writers
        return open_source(source), threading.Lock()
    key = (source, os.stat(source).st_mtime if os.path.exists(source) else 0.0)  # noqa: PTH110, PTH116
    with _cache_lock:
        if key not in _cache:
            _cache[key] = (open_source(source), threading.Lock())
            while len(_cache) > MAX_OPEN:
                _cache.popitem(last=False)
        _cache.move_to_end(key)
        return _cache[key]
