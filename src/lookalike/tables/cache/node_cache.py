"""Cache lattice nodes of a table with too many tuples to fetch, as ``count_cache.py`` does.

Cached by table, columns and hierarchies: the estimated number of tuples, the values of each column,
the groups of nodes, and the rows in small groups at other nodes. With these, a search with another
k or another cost reads no row. The verifier never uses cached counts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import Node, RemoteCounts
from lookalike.tables.cache.cache_folder import CacheFolder, node_name, table_version
from lookalike.tables.resource_limits import LIMITS
from lookalike.tables.table import Table


class CachedTable:
    """Counts a table's tuples; each question is asked only once if a cache folder was named."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def estimate_groups(self, names: Sequence[str]) -> int:
        """As ``Table.estimate_groups``."""
        folder = _cache_folder(self.table, names)
        if folder is None:
            return self.table.estimate_groups(names)
        if (groups := folder.facts.get("about")) is None:
            groups = folder.facts["about"] = self.table.estimate_groups(names)
            folder.save_facts()
        return int(groups)

    def count_columns(self, names: Sequence[str]) -> FrequencySet:
        """As ``Table.count_columns``."""
        folder = _cache_folder(self.table, names)
        counts = None if folder is None else folder.load_columns(tuple(names))
        if counts is None:
            counts = self.table.count_columns(names)
            if folder is not None:
                folder.save_columns(counts)
        return counts

    def remote_counts(self, columns: FrequencySet, tables: Sequence[LevelTable]) -> RemoteCounts:
        """As ``Table.remote_counts``. OverflowError as there."""
        folder = _cache_folder(self.table, columns.names, tables)
        make = partial(self.table.remote_counts, columns, tables)
        return make() if folder is None else CachedRemoteCounts(folder, columns, make)


class CachedRemoteCounts:
    """See ``RemoteCounts``; the table is only asked what is not cached."""

    def __init__(
        self, folder: CacheFolder, columns: FrequencySet, make: Callable[[], RemoteCounts]
    ) -> None:
        self.folder, self.columns, self.rows = folder, columns, columns.rows
        self._make, self._remote = make, None if folder.facts else make()

    @property
    def remote(self) -> RemoteCounts:
        if self._remote is None:
            self._remote = self._make()
        return self._remote

    def at(self, levels: Node) -> FrequencySet:
        counts = self.folder.load_node(levels, self.columns)
        if counts is None:
            counts = self.remote.at(levels)
            self.folder.save_node(levels, counts)
        return counts

    def sampled_groups(self, nodes: Sequence[Node]) -> list[float]:
        known = self.folder.facts.setdefault("guess", {})
        if new := [node for node in nodes if node_name(node) not in known]:
            known |= zip(map(node_name, new), self.remote.sampled_groups(new), strict=True)
            self.folder.save_facts()
        return [float(known[node_name(node)]) for node in nodes]

    def small_group_rows(self, levels: Node, size: int, enough: int) -> int:
        """A complete count holds for any ``enough``, another only for smaller ones."""
        known = self.folder.facts.setdefault("alone", {})
        key = f"{node_name(levels)} of fewer than {size}"
        limit, rows = known.get(key, (-1, 0))
        if limit < 0 or (rows > limit and enough >= rows):
            rows = self.remote.small_group_rows(levels, size, enough)
            known[key] = enough, rows
            self.folder.save_facts()
        return int(rows)

    def approximate_groups(self, levels: Node, max_groups: int) -> int:
        known = self.folder.facts.setdefault("groups", {})
        limit, groups = known.get(node_name(levels), (-1, 0))
        if groups > limit and max_groups > limit:
            groups = self.remote.approximate_groups(levels, max_groups)
            known[node_name(levels)] = max_groups, groups
            self.folder.save_facts()
        return int(min(groups, max_groups + 1))


def _cache_folder(
    table: Table, names: Sequence[str], tables: Sequence[LevelTable] | None = None
) -> CacheFolder | None:
    """None if nothing is to be cached, or the table cannot be recognized later."""
    version = table_version(table) if LIMITS.cache is not None else None
    if LIMITS.cache is None or version is None:
        return None
    digest = hashlib.sha256(json.dumps(list(names)).encode())
    for level_table in tables or ():
        digest.update(repr((level_table.name, level_table.codes.shape)).encode())
        digest.update(np.ascontiguousarray(level_table.codes).tobytes())
    kind = "columns" if tables is None else "nodes"
    return CacheFolder(LIMITS.cache / f"{version}-{kind}-{digest.hexdigest()[:16]}")
