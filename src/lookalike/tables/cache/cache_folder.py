"""One folder of the cache: counts of a table in its present state, as files.

Counts are only cached if a folder is named (``la.limit_engine(cache=…)``), since they contain
original values. The verifier never uses cached counts.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.remote_counts import Node
from lookalike.tables.table import Table

UNREADABLE = (OSError, ValueError, KeyError, TypeError, pa.ArrowException)


class CacheFolder:
    """The private folder of a table and its columns, and maybe their hierarchies."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.facts: dict[str, Any] = {}
        with suppress(*UNREADABLE):
            self.facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))

    def save_facts(self) -> None:
        self._save("facts.json", lambda new: new.write_text(json.dumps(self.facts), "utf-8"))

    def load_node(self, levels: Node, columns: FrequencySet) -> FrequencySet | None:
        with suppress(*UNREADABLE):
            table = pq.read_table(self.folder / f"{node_name(levels)}.parquet")
            codes = [table.column(f"q{i}").to_numpy() for i in range(len(columns.names))]
            counts = table.column("n").to_numpy().astype(np.int64)
            return replace(columns, codes=np.stack(codes, axis=1), counts=counts)
        return None

    def save_node(self, levels: Node, counts: FrequencySet) -> None:
        codes = {f"q{i}": counts.codes[:, i] for i in range(len(counts.names))}
        table = pa.table(codes | {"n": counts.counts})
        self._save(f"{node_name(levels)}.parquet", partial(pq.write_table, table))

    def load_columns(self, names: tuple[str, ...]) -> FrequencySet | None:
        with suppress(*UNREADABLE):
            files = [self.folder / f"column-{i}.parquet" for i in range(len(names))]
            tables = [pq.read_table(file) for file in files]
            values = [tuple(table.column("v").to_pylist()) for table in tables]
            marginals = [table.column("n").to_numpy().astype(np.int64) for table in tables]
            return FrequencySet.of_columns(names, values, marginals)
        return None

    def save_columns(self, columns: FrequencySet) -> None:
        """Only if every type is preserved."""
        with suppress(*UNREADABLE, OverflowError):
            tables = [
                pa.table({"v": pa.array(values), "n": columns.marginal(i)})
                for i, values in enumerate(columns.values)
            ]
            if [tuple(t.column("v").to_pylist()) for t in tables] != list(columns.values):
                return
            for i, table in enumerate(tables):
                self._save(f"column-{i}.parquet", partial(pq.write_table, table))

    def _save(self, name: str, write: Callable[[Path], object]) -> None:
        """Completely or not at all; failing to cache is not an error."""
        with suppress(*UNREADABLE):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = self.folder / f".{os.getpid()}-{name}"
            try:
                write(new)
                new.replace(self.folder / name)
            finally:
                new.unlink(missing_ok=True)


def node_name(levels: Node) -> str:
    """The name of a lattice node in files."""
    return "-".join(map(str, levels))


def table_version(table: Table) -> str | None:
    """Identifies a table in its present state; None if nothing does."""
    if table.path is None or table.kind == "duckdb-file":  # changes may be only in its log
        return None
    path = Path(table.path)
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    states = []
    try:
        for file in files:
            stat = file.stat()  # unlike st_mtime, st_ctime cannot be set
            state = stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino
            states.append((str(file.resolve()), *state))
    except OSError:
        return None
    text = json.dumps([table.kind, table.name, list(table.columns), states])
    return hashlib.sha256(text.encode()).hexdigest()[:32]
