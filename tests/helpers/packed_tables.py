"""Random tables of every type that can be packed, and plain twins of what the kernels compute."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

DAY = datetime.date(2000, 2, 29)
POOLS = {
    "text": (pa.string(), ["", "a", "ab", "ba", "é", "e\u0301", "日本", "😀", "a\0", "seven77",
                           "eight888", "eight889", "long " * 9, "long " * 8 + "lone "]),
    "many": (pa.string(), [f"{i:05}" for i in range(900)]),
    "day": (pa.date32(), [DAY + datetime.timedelta(days=i) for i in range(-9000, 9000, 37)]),
    "whole": (pa.int64(), [-(2**63), 2**63 - 1, -1, 0, 1, 256, -256]),
    "small": (pa.int8(), [-128, 127, 0, 5]),
    "above": (pa.uint64(), [2**64 - 1, 0, 2**63]),
    "yes": (pa.bool_(), [True, False]),
    "money": (pa.decimal128(20, 2), [Decimal("-1.50"), Decimal("99999999999.01"), Decimal(0)]),
    "at": (pa.timestamp("us"), [datetime.datetime(1960, 1, 1), datetime.datetime(2020, 1, 1, 3)]),
    "nobody": (pa.string(), [None]),
    "constant": (pa.int32(), [7]),
}  # fmt: skip


def random_table(rng, rows, names=tuple(POOLS), nulls=0.1):
    columns = []
    for name in names:
        kind, pool = POOLS[name]
        cells = [pool[i] for i in rng.integers(0, len(pool), rows)]
        missing = rng.random(rows) < nulls * (name not in {"yes", "constant"})
        cells = [None if m else cell for cell, m in zip(cells, missing, strict=True)]
        columns.append(pa.array(cells, kind))
    return pa.table(columns, names=list(names))


def save(table, path, group=200):
    pq.write_table(table, path, row_group_size=group, store_schema=False)
    return path


def unpacked(packed, words=None):
    """The rows again."""
    words = packed.words if words is None else words
    columns = [
        values.take(pa.array(packed.layout.unpack(words, j)))
        for j, values in enumerate(packed.values)
    ]
    return pa.table(columns, names=list(packed.names))


def random_luts(rng, packed, below, none=0.2):
    """For a key that is a sum of random numbers."""
    return [
        None if rng.random() < none else rng.integers(0, below, len(v), dtype=np.uint64)
        for v in packed.values
    ]


def keys_of(packed, luts):
    """The twin of the kernels: numpy, a column at a time."""
    total = np.zeros(packed.rows, np.uint64)
    for j, lut in enumerate(luts):
        if lut is not None:
            total += lut[packed.layout.unpack(packed.words, j)]
    return total
