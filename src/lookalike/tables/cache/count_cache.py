"""Cache counts on disk, so that a second policy on the same table needs no scan.

A file is recognized by its path, size, times of change and inode. The cached counts may have more
columns than needed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet, Histogram
from lookalike.counts.tuple_keys import numbered_tuples
from lookalike.tables.cache.cache_folder import CacheFolder, table_version
from lookalike.tables.resource_limits import LIMITS
from lookalike.tables.table import Table


def cached_counts(
    table: Table, names: Sequence[str], sensitive: Sequence[str] = ()
) -> FrequencySet:
    """As ``Table.count_groups``, from the cache if possible."""
    version = table_version(table)
    if LIMITS.cache is None or version is None:
        return table.count_groups(names, sensitive)
    wanted = (*names, *(name for name in sensitive if name not in names))
    counts = _find(LIMITS.cache, version, wanted)
    if counts is None:
        counts = table.count_groups(wanted)
        _save(LIMITS.cache, version, counts)
    return _project(counts, tuple(names), sensitive)


def _find(folder: Path, version: str, wanted: Sequence[str]) -> FrequencySet | None:
    """The smallest cached counts that have all the columns."""
    folders = map(CacheFolder, sorted(folder.glob(f"{version}-*")))
    candidates = [(entry.facts.get("names", []), entry) for entry in folders]
    for names, entry in sorted(candidates, key=lambda candidate: len(candidate[0])):
        if set(wanted) <= set(names) and (columns := entry.load_columns(tuple(names))) is not None:
            counts = entry.load_node((0,) * len(names), columns)
            if counts is not None:
                return counts
    return None


def _save(folder: Path, version: str, counts: FrequencySet) -> None:
    columns = hashlib.sha256(json.dumps(counts.names).encode()).hexdigest()[:16]
    entry = CacheFolder(folder / f"{version}-{columns}")
    entry.save_columns(counts)
    entry.save_node((0,) * len(counts.names), counts)
    entry.facts["names"] = list(counts.names)
    entry.save_facts()


def _project(
    counts: FrequencySet, names: tuple[str, ...], sensitive: Sequence[str]
) -> FrequencySet:
    """The counts over fewer columns, in this order, with histograms of others."""
    places = [counts.names.index(name) for name in names]
    codes, totals, _ = _group(counts.codes[:, places], counts.counts)
    histograms = {}
    for name in sensitive:
        place = counts.names.index(name)
        finer, rows, _ = _group(counts.codes[:, [*places, place]], counts.counts)
        _, _, group = _group(finer[:, :-1], rows)
        histograms[name] = Histogram(counts.values[place], group, finer[:, -1].copy(), rows)
    return FrequencySet(names, tuple(counts.values[p] for p in places), codes, totals, histograms)


def _group(
    codes: NDArray[np.int32], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """The sorted distinct tuples, the rows of each, and the group of each given tuple."""
    group, first = numbered_tuples(codes.T, len(codes))
    totals = np.bincount(group, weights=counts, minlength=len(first)).astype(np.int64)
    return codes[first], totals, group
