"""Every row as a few whole numbers, held by the engine; any node of the lattice is a mask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lookalike.counts.bit_codes import BitCodes
from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import Node
from lookalike.errors import Fault, TableError
from lookalike.tables.sql.group_counts import count_groups
from lookalike.tables.sql.relation import Rows, grouped_by
from lookalike.tables.sql.row_recoding import look_up, mapping_of
from lookalike.tables.table import ColumnRecoding

SAMPLE = 400_000  # rows by which groups are guessed
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """The quasi-identifiers of a table as words w0, w1 …"""

    content: Rows
    codes: BitCodes
    columns: FrequencySet  # names, values and marginals; its groups are of no node
    rows: int
    sample: tuple[Whole, ...]

    def at(self, levels: Node) -> FrequencySet:
        masks = self.codes.masks(levels)
        keys = ", ".join(f"w{i} & {mask} AS w{i}" for i, mask in enumerate(masks))
        by = grouped_by(self.codes.words)
        found = self.content.fetch(f"SELECT {keys}, count(*) AS n FROM t{by}")
        words = [found.column(f"w{i}").to_numpy() for i in range(self.codes.words)]
        counts = found.column("n").to_numpy().astype(np.int64)
        order = np.lexsort(words[::-1])
        leaves = self.codes.leaves([word[order] for word in words], levels)
        return replace(self.columns, codes=leaves, counts=counts[order])

    def alone(self, levels: Node, fewer: int, enough: int) -> int:
        keys = ", ".join(
            f"w{i} & {mask} AS w{i}" for i, mask in enumerate(self.codes.masks(levels))
        )
        counted = f"SELECT {keys}, count(*) AS n FROM t{grouped_by(self.codes.words)}"
        found = self.content.fetch(f"SELECT sum(n) AS n FROM ({counted}) g WHERE n < {fewer}")
        return int(found.column("n")[0].as_py() or 0)

    def guess(self, nodes: Sequence[Node]) -> list[float]:
        return [self._guess(node) for node in nodes]

    def _guess(self, node: Node) -> float:
        """Chao's estimate: what was seen, and as many more as singletons and pairs make likely."""
        whole = np.zeros(len(self.sample[0]), dtype=np.uint64)
        for word, mask in zip(self.sample, self.codes.masks(node), strict=True):
            whole = whole * np.uint64(0x9E3779B97F4A7C15) + (word & mask).astype(np.uint64)
        whole.sort()
        starts = np.flatnonzero(np.append(True, whole[1:] != whole[:-1]))
        held = np.diff(np.append(starts, len(whole)))
        once, twice = int((held == 1).sum()), int((held == 2).sum())
        return min(float(self.rows), len(held) + once * (once - 1) / (2 * (twice + 1)))

    def groups(self, levels: Node, most: int) -> int:
        keys = [f"(w{i} & {mask})" for i, mask in enumerate(self.codes.masks(levels))]
        estimate = self.content.engine.distinct_estimate(keys)
        found = self.content.fetch(f"SELECT {estimate} AS n FROM t")
        return int(found.column("n")[0].as_py())


def remote_counts(rows: Rows, columns: FrequencySet, tables: Sequence[LevelTable]) -> Coded:
    """Look up every cell once, and keep the words; ``columns`` has values and marginals."""
    codes = BitCodes(tables)
    looked_up = rows
    parts: list[list[str]] = [[] for _ in range(codes.words)]
    for j, name in enumerate(columns.names):
        values, column = columns.values[j], codes.columns[j]
        recoding = ColumnRecoding(values, np.arange(len(values), dtype=np.int32), None)
        mapping = mapping_of(rows, name, recoding)
        numbers = pa.array(column.number[mapping.column("code").to_numpy()])
        mapping = mapping.set_column(mapping.schema.get_field_index("code"), "code", numbers)
        looked_up = look_up(looked_up, j, name, mapping, labels=False)
        parts[column.word].append(f"q{j}")
    words = ", ".join(f"{' + '.join(part)} AS w{i}" for i, part in enumerate(parts))
    held = looked_up.query(f"SELECT {words} FROM t").rename(()).materialize()
    known = " AND ".join(f"w{i} IS NOT NULL" for i in range(codes.words))
    total = int(held.fetch(f"SELECT count(*) AS n FROM t WHERE {known}").column("n")[0].as_py())
    if any(int(rows_of.sum()) != total for rows_of in columns.marginals or ()):
        fix = "wait until nobody writes to it, and run again"
        raise TableError(Fault(rows.where, "it changed while it was being counted", fix))
    some = rows.engine.fetch(
        rows.engine.sample(held.relation, SAMPLE, total, rows.where), rows.where
    )
    sample = tuple(some.column(f"w{i}").to_numpy() for i in range(codes.words))
    return Coded(held, codes, columns, total, sample)


def count_columns(rows: Rows, names: Sequence[str]) -> FrequencySet:
    """Names, values and marginals of the columns, and no groups."""
    single = [count_groups(rows, (name,)) for name in names]
    return FrequencySet(
        tuple(names),
        tuple(one.values[0] for one in single),
        np.zeros((0, len(names)), dtype=np.int32),
        np.zeros(0, dtype=np.int64),
        marginals=tuple(one.marginal(0) for one in single),
    )


def estimate_groups(rows: Rows, names: Sequence[str]) -> int:
    """Distinct tuples over ``names``, within a few percent."""
    found = rows.fetch(f"SELECT {rows.engine.distinct_estimate(rows.keys(names))} AS n FROM t")
    return int(found.column("n")[0].as_py())
