"""The verifier's own counts of a table with too many tuples to fetch: the nodes of a proof's floor.

Every node that a proof names must lie above one of them, and is counted from it. Each text gets a
number, digit by digit the way down its hierarchy, a row the sum of its numbers, and a node is what
is left of the sum when the lower digits are masked. Columns that one sum cannot hold are relabelled
node by node. Nothing is shared with the search, which numbers values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.tables.table import Table

Node = tuple[int, ...]
Floor = tuple[tuple[Node, FrequencySet], ...]
Texts = Mapping[str | None, int]
ROOM = 62  # bits of a sum


@dataclass(frozen=True, slots=True)
class _Digits:
    """One column: the way of each leaf from the top down, and where each level's digit ends."""

    number: list[int]  # a leaf
    ends: list[int]  # a level: bits below its digit; the top, with no digit, last

    @property
    def bits(self) -> int:
        return self.ends[-1]


def count_floor(
    original: Table, columns: FrequencySet, tables: Sequence[LevelTable], nodes: Sequence[Node]
) -> Floor:
    """The groups of each node; a group is named by the first leaf of each of its codes."""
    if not nodes:
        return ()
    texts = [original.texts(name) for name in columns.names]
    digits = [_digits(table) for table in tables]
    if sum(one.bits for one in digits) <= ROOM:
        return _by_sums(original, columns, digits, nodes, texts)
    return tuple((node, _by_labels(original, columns, tables, node, texts)) for node in nodes)


def _digits(table: LevelTable) -> _Digits:
    number = [0] * table.leaves
    widths: list[int] = []
    for level in reversed(range(table.height)):
        steps: dict[int, dict[int, int]] = {}  # a code above: the codes below it, in turn
        turns = []
        for above, code in zip(
            table.codes[:, level + 1].tolist(), table.codes[:, level].tolist(), strict=True
        ):
            below = steps.setdefault(above, {})
            turns.append(below.setdefault(code, len(below)))
        width = (max(map(len, steps.values()), default=1) - 1).bit_length()
        number = [(way << width) + turn for way, turn in zip(number, turns, strict=True)]
        widths.insert(0, width)
    return _Digits(number, [sum(widths[:level]) for level in range(table.height + 1)])


def _by_sums(
    original: Table,
    columns: FrequencySet,
    digits: Sequence[_Digits],
    nodes: Sequence[Node],
    texts: Sequence[Texts],
) -> Floor:
    place = [sum(one.bits for one in digits[:a]) for a in range(len(digits))]
    numbers = {
        name: {text: one.number[leaf] << at for text, leaf in of_text.items()}
        for name, of_text, one, at in zip(columns.names, texts, digits, place, strict=True)
    }
    masks = [
        sum(
            ((1 << one.bits) - (1 << one.ends[level])) << at
            for one, level, at in zip(digits, node, place, strict=True)
        )
        for node in nodes
    ]
    found = original.masked_counts(numbers, masks)
    floor = []
    for node, counted in zip(nodes, found, strict=True):
        sums: NDArray[np.int64] = counted.column("w").to_numpy()
        leaves = np.zeros((len(sums), len(digits)), dtype=np.int32)
        for a, (one, level, at) in enumerate(zip(digits, node, place, strict=True)):
            way = sums >> (at + one.ends[level]) & ((1 << (one.bits - one.ends[level])) - 1)
            shown = np.array(one.number, dtype=np.int64) >> one.ends[level]
            ways, first = np.unique(shown, return_index=True)
            if len(ways):
                leaves[:, a] = first[np.searchsorted(ways, way)]
        counts = counted.column("n").to_numpy().astype(np.int64)
        floor.append((node, replace(columns, codes=leaves, counts=counts)))
    return tuple(floor)


def _by_labels(
    original: Table,
    columns: FrequencySet,
    tables: Sequence[LevelTable],
    node: Node,
    texts: Sequence[Texts],
) -> FrequencySet:
    labels = {}
    for table, level, of_text in zip(tables, node, texts, strict=True):
        codes = table.codes[:, level].tolist()
        labels[table.name] = {text: str(codes[leaf]) for text, leaf in of_text.items()}
    found = original.relabelled(columns.names, labels).distinct_text(columns.names)
    leaves = np.zeros((found.num_rows, len(tables)), dtype=np.int32)
    for a, (table, level) in enumerate(zip(tables, node, strict=True)):
        _, first = np.unique(table.codes[:, level], return_index=True)
        code = found.column(f"c{a}").combine_chunks().dictionary_encode()
        of_code = np.array([first[int(one)] for one in code.dictionary.to_pylist()], dtype=np.int32)
        leaves[:, a] = of_code[code.indices.to_numpy()] if len(of_code) else 0
    return replace(columns, codes=leaves, counts=found.column("count").to_numpy().astype(np.int64))
