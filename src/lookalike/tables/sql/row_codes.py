"""Rows as a few whole numbers, kept by the engine: any lattice node is a mask over them."""

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
from lookalike.tables.sql.group_counts import CHANGED, CHANGED_FIX, count_groups
from lookalike.tables.sql.relation import Rows, group_by
from lookalike.tables.sql.row_recoding import look_up, mapping_table
from lookalike.tables.table import ColumnRecoding

SAMPLE_ROWS = 400_000  # from which groups are estimated
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class RowCodes:
    """See ``RemoteCounts``: the quasi-identifiers of a table as words w0, w1 …"""

    content: Rows
    codes: BitCodes
    columns: FrequencySet  # names, values and marginals; it has no groups
    rows: int
    sample: tuple[Whole, ...]

    def at(self, levels: Node) -> FrequencySet:
        counted = self.content.fetch(self._count(levels))
        words = [counted.column(f"w{i}").to_numpy() for i in range(self.codes.words)]
        counts = counted.column("n").to_numpy().astype(np.int64)
        order = np.lexsort(words[::-1])
        leaves = self.codes.leaves([word[order] for word in words], levels)
        return replace(self.columns, codes=leaves, counts=counts[order])

    def small_group_rows(self, levels: Node, fewer: int, enough: int) -> int:
        sql = f"SELECT sum(n) FROM ({self._count(levels)}) g WHERE n < {fewer}"
        return self.content.fetch_number(sql)

    def sampled_groups(self, nodes: Sequence[Node]) -> list[float]:
        return [self._guess(node) for node in nodes]

    def approximate_groups(self, levels: Node, most: int) -> int:
        keys = [f"(w{i} & {mask})" for i, mask in enumerate(self.codes.masks(levels))]
        estimate = self.content.engine.cells.distinct_estimate(keys)
        return self.content.fetch_number(f"SELECT {estimate} FROM t")

    def _count(self, levels: Node) -> str:
        """SQL that counts the groups of a node."""
        masks = enumerate(self.codes.masks(levels))
        keys = ", ".join(f"w{i} & {mask} AS w{i}" for i, mask in masks)
        return f"SELECT {keys}, count(*) AS n FROM t{group_by(self.codes.words)}"

    def _guess(self, node: Node) -> float:
        """Chao's estimate: the groups seen, and as many more as singletons and pairs suggest."""
        hashes = np.zeros(len(self.sample[0]), dtype=np.uint64)
        for word, mask in zip(self.sample, self.codes.masks(node), strict=True):
            hashes = hashes * np.uint64(0x9E3779B97F4A7C15) + (word & mask).astype(np.uint64)
        hashes.sort()
        starts = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1]))
        sizes = np.diff(np.append(starts, len(hashes)))
        once, twice = int((sizes == 1).sum()), int((sizes == 2).sum())
        return min(float(self.rows), len(sizes) + once * (once - 1) / (2 * (twice + 1)))


def remote_counts(rows: Rows, columns: FrequencySet, tables: Sequence[LevelTable]) -> RowCodes:
    """Look up every cell once, and keep the words; ``columns`` has values and marginals."""
    codes = BitCodes(tables)
    coded = rows
    parts: list[list[str]] = [[] for _ in range(codes.words)]
    for j, name in enumerate(columns.names):
        values, column = columns.values[j], codes.columns[j]
        recoding = ColumnRecoding(values, np.arange(len(values), dtype=np.int32), None)
        mapping = mapping_table(rows, name, recoding)
        numbers = pa.array(column.number[mapping.column("code").to_numpy()])
        mapping = mapping.set_column(mapping.schema.get_field_index("code"), "code", numbers)
        coded = look_up(coded, j, name, mapping, labels=False)
        parts[column.word].append(f"q{j}")
    words = ", ".join(f"{' + '.join(part)} AS w{i}" for i, part in enumerate(parts))
    kept = coded.query(f"SELECT {words} FROM t").rename(()).materialize()
    known = " AND ".join(f"w{i} IS NOT NULL" for i in range(codes.words))
    total = kept.fetch_number(f"SELECT count(*) FROM t WHERE {known}")
    if any(int(marginal.sum()) != total for marginal in columns.marginals or ()):
        raise TableError(Fault(rows.where, CHANGED, CHANGED_FIX))
    some = rows.engine.sample(kept.relation, SAMPLE_ROWS, total, rows.where)
    fetched = rows.engine.fetch(some, rows.where)
    sample = tuple(fetched.column(f"w{i}").to_numpy() for i in range(codes.words))
    return RowCodes(kept, codes, columns, total, sample)


def count_columns(rows: Rows, names: Sequence[str]) -> FrequencySet:
    """As ``Table.count_columns``."""
    counts = [count_groups(rows, (name,)) for name in names]
    values = [column.values[0] for column in counts]
    return FrequencySet.of_columns(names, values, [column.marginal(0) for column in counts])


def estimate_groups(rows: Rows, names: Sequence[str]) -> int:
    """As ``Table.estimate_groups``."""
    estimate = rows.engine.cells.distinct_estimate(rows.keys(names))
    return rows.fetch_number(f"SELECT {estimate} FROM t")
