"""Nodes of a table with too many tuples to fetch, kept on disk as ``remembering.py`` keeps counts.

Kept by table, columns and hierarchies: how many tuples there are about, each column's values, the
groups of nodes, and how many rows stand out at others. With all that at hand a search with another
k or another cost reads no row. The verifier never takes counts from here.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import Node, RemoteCounts
from lookalike.tables.cache.count_cache import UNREADABLE, version
from lookalike.tables.resource_limits import LIMITS
from lookalike.tables.table import Table


class Remembered:
    """What a table says of its tuples, and is asked only once if a folder was named for it."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def estimate_groups(self, names: Sequence[str]) -> int:
        """As ``Table.estimate_groups``."""
        shelf = _shelf(self.table, names)
        if shelf is None:
            return self.table.estimate_groups(names)
        if (found := shelf.facts.get("about")) is None:
            found = shelf.facts["about"] = self.table.estimate_groups(names)
            shelf.keep_facts()
        return int(found)

    def count_columns(self, names: Sequence[str]) -> FrequencySet:
        """As ``Table.count_columns``."""
        shelf = _shelf(self.table, names)
        if shelf is None:
            return self.table.count_columns(names)
        found = shelf.columns(tuple(names))
        if found is None:
            found = self.table.count_columns(names)
            shelf.keep_columns(found)
        return found

    def remote_counts(self, columns: FrequencySet, tables: Sequence[LevelTable]) -> RemoteCounts:
        """As ``Table.remote_counts``. OverflowError as there."""
        shelf = _shelf(self.table, columns.names, tables)
        if shelf is None:
            return self.table.remote_counts(columns, tables)
        return RememberedFar(shelf, columns, lambda: self.table.remote_counts(columns, tables))


class RememberedFar:
    """As ``RemoteCounts`` says; the table is only asked for what is not kept."""

    def __init__(
        self, shelf: _Shelf, columns: FrequencySet, make: Callable[[], RemoteCounts]
    ) -> None:
        self.shelf, self.columns, self.rows = shelf, columns, columns.rows
        self._make, self._far = make, None if shelf.facts else make()

    @property
    def far(self) -> RemoteCounts:
        if self._far is None:
            self._far = self._make()
        return self._far

    def at(self, levels: Node) -> FrequencySet:
        found = self.shelf.node(levels, self.columns)
        if found is None:
            found = self.far.at(levels)
            self.shelf.keep_node(levels, found)
        return found

    def sampled_groups(self, nodes: Sequence[Node]) -> list[float]:
        known = self.shelf.facts.setdefault("guess", {})
        if new := [node for node in nodes if _name(node) not in known]:
            known |= zip(map(_name, new), self.far.sampled_groups(new), strict=True)
            self.shelf.keep_facts()
        return [float(known[_name(node)]) for node in nodes]

    def small_group_rows(self, levels: Node, fewer: int, enough: int) -> int:
        """What was counted to its end is right for any ``enough``, else for no larger one."""
        known = self.shelf.facts.setdefault("alone", {})
        key = f"{_name(levels)} of fewer than {fewer}"
        before, found = known.get(key, (-1, 0))
        if before < 0 or (found > before and enough >= found):
            before, found = enough, self.far.small_group_rows(levels, fewer, enough)
            known[key] = before, found
            self.shelf.keep_facts()
        return int(found)

    def approximate_groups(self, levels: Node, most: int) -> int:
        known = self.shelf.facts.setdefault("groups", {})
        before, found = known.get(_name(levels), (-1, 0))
        if found > before and most > before:
            before, found = most, self.far.approximate_groups(levels, most)
            known[_name(levels)] = before, found
            self.shelf.keep_facts()
        return int(min(found, most + 1))


class _Shelf:
    """A folder for a table and its columns, and maybe their hierarchies; private."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.facts: dict[str, Any] = {}
        with suppress(*UNREADABLE):
            self.facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))

    def keep_facts(self) -> None:
        self._put("facts.json", lambda new: new.write_text(json.dumps(self.facts), "utf-8"))

    def node(self, levels: Node, columns: FrequencySet) -> FrequencySet | None:
        with suppress(*UNREADABLE):
            table = pq.read_table(self.folder / f"{_name(levels)}.parquet")
            codes = [table.column(f"q{i}").to_numpy() for i in range(len(columns.names))]
            counts = table.column("n").to_numpy().astype(np.int64)
            return replace(columns, codes=np.stack(codes, axis=1), counts=counts)
        return None

    def keep_node(self, levels: Node, counts: FrequencySet) -> None:
        codes = {f"q{i}": counts.codes[:, i] for i in range(len(counts.names))}
        table = pa.table(codes | {"n": counts.counts})
        self._put(f"{_name(levels)}.parquet", partial(pq.write_table, table))

    def columns(self, names: tuple[str, ...]) -> FrequencySet | None:
        with suppress(*UNREADABLE):
            files = [self.folder / f"column-{i}.parquet" for i in range(len(names))]
            tables = [pq.read_table(file) for file in files]
            return FrequencySet(
                names,
                tuple(tuple(table.column("v").to_pylist()) for table in tables),
                np.zeros((0, len(names)), dtype=np.int32),
                np.zeros(0, dtype=np.int64),
                marginals=tuple(t.column("n").to_numpy().astype(np.int64) for t in tables),
            )
        return None

    def keep_columns(self, columns: FrequencySet) -> None:
        """If every type comes back as it went."""
        assert columns.marginals is not None
        with suppress(*UNREADABLE, OverflowError):
            parts = zip(columns.values, columns.marginals, strict=True)
            tables = [pa.table({"v": pa.array(values), "n": rows}) for values, rows in parts]
            if [tuple(t.column("v").to_pylist()) for t in tables] != list(columns.values):
                return
            for i, table in enumerate(tables):
                self._put(f"column-{i}.parquet", partial(pq.write_table, table))

    def _put(self, name: str, write: Callable[[Path], object]) -> None:
        """Whole or not at all; that it cannot be kept is no fault."""
        with suppress(*UNREADABLE):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = self.folder / f".{os.getpid()}-{name}"
            try:
                write(new)
                new.replace(self.folder / name)
            finally:
                new.unlink(missing_ok=True)


def _shelf(
    table: Table, names: Sequence[str], tables: Sequence[LevelTable] | None = None
) -> _Shelf | None:
    """Where it is kept; None if nothing is to be, or the table cannot be known again."""
    of = version(table) if LIMITS.cache is not None else None
    if LIMITS.cache is None or of is None:
        return None
    told = hashlib.sha256(json.dumps(list(names)).encode())
    for one in tables or ():
        told.update(repr((one.name, one.codes.shape)).encode())
        told.update(np.ascontiguousarray(one.codes).tobytes())
    kind = "columns" if tables is None else "nodes"
    return _Shelf(LIMITS.cache / f"{of}-{kind}-{told.hexdigest()[:16]}")


def _name(levels: Node) -> str:
    return "-".join(map(str, levels))
