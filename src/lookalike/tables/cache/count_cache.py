"""Counts kept on disk, so that a second policy on the same table costs no scan.

Only where a folder was named for it (``la.limit_engine(cache=…)``): counts hold original values.
They are found again by the file's path, size, times of change and number on the disk, and by
columns, or more columns than are asked for. The verifier never takes counts from here.
"""

from __future__ import annotations

import hashlib
import json
import os
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


def counted(table: Table, names: Sequence[str], sensitive: Sequence[str] = ()) -> FrequencySet:
    """As ``Table.count_groups``, from the cache if it is there."""
    of = version(table)
    if LIMITS.cache is None or of is None:
        return table.count_groups(names, sensitive)
    wanted = (*names, *(name for name in sensitive if name not in names))
    found = _find(LIMITS.cache, of, wanted)
    if found is None:
        found = table.count_groups(wanted)
        _keep(LIMITS.cache, of, found)
    return _projected(found, tuple(names), sensitive)


def version(table: Table) -> str | None:
    """What tells the table from others, and from itself at another time; None if nothing does."""
    if table.path is None or table.kind == "duckdb-file":  # what is new may be in its log alone
        return None
    path = Path(table.path)
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    try:
        told = [(str(f.resolve()), *_state(f.stat())) for f in files]
    except OSError:
        return None
    said = json.dumps([table.kind, table.name, list(table.columns), told])
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def _state(of: os.stat_result) -> tuple[int, ...]:
    """The time of change of a file's entry cannot be set, as that of its contents can."""
    return of.st_size, of.st_mtime_ns, of.st_ctime_ns, of.st_ino


def _find(folder: Path, version: str, wanted: Sequence[str]) -> FrequencySet | None:
    """The smallest set kept that has all the columns."""
    fitting = []
    for kept in folder.glob(f"{version}-*"):
        with suppress(*UNREADABLE):
            names = json.loads((kept / "names.json").read_text(encoding="utf-8"))
            if set(wanted) <= set(names):
                fitting.append((len(names), kept, tuple(names)))
    for _, kept, names in sorted(fitting):
        with suppress(*UNREADABLE):
            return _load(kept, names)
    return None


def _load(kept: Path, names: tuple[str, ...]) -> FrequencySet:
    table = pq.read_table(kept / "counts.parquet")
    codes = [table.column(f"q{i}").to_numpy().astype(np.int32) for i in range(len(names))]
    values = tuple(
        tuple(pq.read_table(kept / f"values-{i}.parquet").column("v").to_pylist())
        for i in range(len(names))
    )
    stacked = np.stack(codes, axis=1) if codes else np.zeros((table.num_rows, 0), np.int32)
    return FrequencySet(names, values, stacked, table.column("n").to_numpy().astype(np.int64))


def _keep(folder: Path, version: str, counts: FrequencySet) -> None:
    """Whole or not at all; that it cannot be kept is no fault."""
    columns = hashlib.sha256(json.dumps(counts.names).encode()).hexdigest()[:16]
    target = folder / f"{version}-{columns}"
    made = Path(tempfile.mkdtemp(prefix=".counts-", dir=folder))  # mode 0700
    try:
        codes = {f"q{i}": counts.codes[:, i] for i in range(len(counts.names))}
        pq.write_table(pa.table(codes | {"n": counts.counts}), made / "counts.parquet")
        for i, values in enumerate(counts.values):
            pq.write_table(pa.table({"v": pa.array(values)}), made / f"values-{i}.parquet")
        text = json.dumps(list(counts.names), ensure_ascii=False)
        (made / "names.json").write_text(text, encoding="utf-8")
        if tuple(_load(made, counts.names).values) == counts.values:  # a type came back as it went
            made.rename(target)
    except (*UNREADABLE, OverflowError):
        pass
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _projected(
    counts: FrequencySet, names: tuple[str, ...], sensitive: Sequence[str]
) -> FrequencySet:
    """Over fewer columns, in the order asked for, and histograms of some others."""
    places = [counts.names.index(name) for name in names]
    codes, totals, _ = _grouped(counts.codes[:, places], counts.counts)
    histograms = {}
    for name in sensitive:
        place = counts.names.index(name)
        finer, held, _ = _grouped(counts.codes[:, [*places, place]], counts.counts)
        _, _, group = _grouped(finer[:, :-1], held)
        histograms[name] = Histogram(counts.values[place], group, finer[:, -1].copy(), held)
    return FrequencySet(names, tuple(counts.values[p] for p in places), codes, totals, histograms)


def _grouped(
    codes: NDArray[np.int32], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Sorted distinct tuples, how many rows each has, and the place of each tuple given."""
    order = np.lexsort(codes.T[::-1]) if codes.shape[1] else np.arange(len(codes))
    ranked = codes[order]
    starts = np.ones(len(ranked), dtype=np.bool_)
    starts[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
    of = np.empty(len(codes), dtype=np.int64)
    of[order] = np.cumsum(starts) - 1
    totals = np.bincount(of, weights=counts, minlength=int(starts.sum())).astype(np.int64)
    return ranked[starts], totals, of
