"""The verifier's own counts of a table with too many tuples to fetch: the nodes of a proof's floor.

Every node that a proof names must lie above one of them, and is counted from it. Cells are seen as
text here and tuples as rows of labels, so nothing is shared with the numbers that the search uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.tables.table import Table

Node = tuple[int, ...]
Floor = tuple[tuple[Node, FrequencySet], ...]


def count_floor(
    original: Table, columns: FrequencySet, tables: Sequence[LevelTable], nodes: Sequence[Node]
) -> Floor:
    """The groups of each node; a group is named by the first leaf of each of its codes."""
    texts = [original.texts(name) for name in columns.names]
    return tuple((node, _counted(original, columns, tables, node, texts)) for node in nodes)


def _counted(
    original: Table,
    columns: FrequencySet,
    tables: Sequence[LevelTable],
    node: Node,
    texts: Sequence[object],
) -> FrequencySet:
    labels = {}
    for table, level, of_text in zip(tables, node, texts, strict=True):
        codes = table.codes[:, level].tolist()
        labels[table.name] = {text: str(codes[leaf]) for text, leaf in of_text.items()}  # type: ignore[attr-defined]
    found = original.relabelled(columns.names, labels).distinct_text(columns.names)
    leaves = np.zeros((found.num_rows, len(tables)), dtype=np.int32)
    for a, (table, level) in enumerate(zip(tables, node, strict=True)):
        _, first = np.unique(table.codes[:, level], return_index=True)
        code = found.column(f"c{a}").combine_chunks().dictionary_encode()
        of_code = np.array([first[int(one)] for one in code.dictionary.to_pylist()], dtype=np.int32)
        leaves[:, a] = of_code[code.indices.to_numpy()] if len(of_code) else 0
    counts = found.column("count").to_numpy().astype(np.int64)
    return replace(columns, codes=leaves, counts=counts)
