"""Cache counts on disk, so that a second policy on the same table needs no scan.

Counts are only cached if a folder is named (``la.limit_engine(cache=…)``), since they contain
original values. A file is recognized by its path, size, times of change and inode. The cached
counts may have more columns than needed. The verifier never uses cached counts.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet, Histogram
from lookalike.tables.resource_limits import LIMITS
from lookalike.tables.table import Table

UNREADABLE = (OSError, ValueError, KeyError, TypeError, pa.ArrowException)


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


def _find(folder: Path, version: str, wanted: Sequence[str]) -> FrequencySet | None:
    """The smallest cached counts that have all the columns."""
    candidates = []
    for entry in folder.glob(f"{version}-*"):
        with suppress(*UNREADABLE):
            names = json.loads((entry / "names.json").read_text(encoding="utf-8"))
            if set(wanted) <= set(names):
                candidates.append((len(names), entry, tuple(names)))
    for _, entry, names in sorted(candidates):
        with suppress(*UNREADABLE):
            return _load(entry, names)
    return None


def _load(entry: Path, names: tuple[str, ...]) -> FrequencySet:
    table = pq.read_table(entry / "counts.parquet")
    codes = [table.column(f"q{i}").to_numpy().astype(np.int32) for i in range(len(names))]
    values = tuple(
        tuple(pq.read_table(entry / f"values-{i}.parquet").column("v").to_pylist())
        for i in range(len(names))
    )
    stacked = np.stack(codes, axis=1) if codes else np.zeros((table.num_rows, 0), np.int32)
    return FrequencySet(names, values, stacked, table.column("n").to_numpy().astype(np.int64))


def _save(folder: Path, version: str, counts: FrequencySet) -> None:
    """Completely or not at all; failing to cache is not an error."""
    columns = hashlib.sha256(json.dumps(counts.names).encode()).hexdigest()[:16]
    temporary = Path(tempfile.mkdtemp(prefix=".counts-", dir=folder))  # mode 0700
    try:
        codes = {f"q{i}": counts.codes[:, i] for i in range(len(counts.names))}
        pq.write_table(pa.table(codes | {"n": counts.counts}), temporary / "counts.parquet")
        for i, values in enumerate(counts.values):
            pq.write_table(pa.table({"v": pa.array(values)}), temporary / f"values-{i}.parquet")
        text = json.dumps(list(counts.names), ensure_ascii=False)
        (temporary / "names.json").write_text(text, encoding="utf-8")
        if tuple(_load(temporary, counts.names).values) == counts.values:  # types are preserved
            temporary.rename(folder / f"{version}-{columns}")
    except (*UNREADABLE, OverflowError):
        pass
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


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
    order = np.lexsort(codes.T[::-1]) if codes.shape[1] else np.arange(len(codes))
    ranked = codes[order]
    starts = np.ones(len(ranked), dtype=np.bool_)
    starts[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
    group = np.empty(len(codes), dtype=np.int64)
    group[order] = np.cumsum(starts) - 1
    totals = np.bincount(group, weights=counts, minlength=int(starts.sum())).astype(np.int64)
    return ranked[starts], totals, group
