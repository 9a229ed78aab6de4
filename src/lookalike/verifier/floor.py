"""The verifier's own counts of a table with too many tuples to fetch: the nodes of a proof's floor.

Every node that a proof names must lie above one of them, and is counted from it. Each text gets a
number, digit by digit the way down its hierarchy, a row the sum of its numbers (or several sums,
if one cannot hold all columns), and a node is what is left when the lower digits are masked.
Nothing is shared with the search, which numbers values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.tables.table import Table

Node = tuple[int, ...]
Floor = tuple[tuple[Node, FrequencySet], ...]
Alone = dict[Node, int]  # rows of a node in groups that are too small
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
    original: Table,
    columns: FrequencySet,
    tables: Sequence[LevelTable],
    nodes: Sequence[Node],
    refuted: Sequence[Node] = (),
    fewer: int = 0,
    enough: int = 0,
) -> tuple[Floor, Alone]:
    """The groups of each node; a group is named by the first leaf of each of its codes.

    Of nodes that are ``refuted``, only the rows in groups of ``fewer`` than so many, until they
    are more than ``enough``.
    """
    if not nodes or any(not _fits(node, tables) for node in (*nodes, *refuted)):
        return (), {}
    texts = [original.texts(name) for name in columns.names]
    digits = [_digits(table) for table in tables]
    places = _places(digits)
    words: list[dict[str, dict[str | None, int]]] = [{} for _ in range(places[-1][0] + 1)]
    for name, of_text, one, (word, at) in zip(columns.names, texts, digits, places, strict=True):
        words[word][name] = {text: one.number[leaf] << at for text, leaf in of_text.items()}
    masks = [_masks(node, digits, places) for node in nodes]
    found = original.masked_counts(words, masks)
    alone: list[int] = []
    if refuted:
        too_fine = [_masks(node, digits, places) for node in refuted]
        alone = original.masked_alone(words, too_fine, fewer, enough)
    named = tuple(
        (node, _named(counted, columns, digits, places, node))
        for node, counted in zip(nodes, found, strict=True)
    )
    return named, dict(zip(refuted, alone, strict=True))


def _fits(node: Node, tables: Sequence[LevelTable]) -> bool:
    """Is it a node of these hierarchies at all?"""
    return len(node) == len(tables) and all(
        0 <= level <= table.height for level, table in zip(node, tables, strict=True)
    )


def _places(digits: Sequence[_Digits]) -> list[tuple[int, int]]:
    """Of each column the sum it is in, and the bits below it there."""
    found = []
    word = at = 0
    for one in digits:
        if at + one.bits > ROOM:
            word, at = word + 1, 0
        found.append((word, at))
        at += one.bits
    return found


def _masks(node: Node, digits: Sequence[_Digits], places: Sequence[tuple[int, int]]) -> list[int]:
    masks = [0] * (places[-1][0] + 1)
    for one, level, (word, at) in zip(digits, node, places, strict=True):
        masks[word] += ((1 << one.bits) - (1 << one.ends[level])) << at
    return masks


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


def _named(
    counted: Any,
    columns: FrequencySet,
    digits: Sequence[_Digits],
    places: Sequence[tuple[int, int]],
    node: Node,
) -> FrequencySet:
    """The groups of a node, each by the first leaf of its codes."""
    leaves = np.zeros((counted.num_rows, len(digits)), dtype=np.int32)
    for a, (one, level, (word, at)) in enumerate(zip(digits, node, places, strict=True)):
        sums: NDArray[np.int64] = counted.column(f"w{word}").to_numpy()
        way = sums >> (at + one.ends[level]) & ((1 << (one.bits - one.ends[level])) - 1)
        shown = np.array(one.number, dtype=np.int64) >> one.ends[level]
        ways, first = np.unique(shown, return_index=True)
        if len(ways):
            leaves[:, a] = first[np.searchsorted(ways, way)]
    return replace(columns, codes=leaves, counts=counted.column("n").to_numpy().astype(np.int64))
