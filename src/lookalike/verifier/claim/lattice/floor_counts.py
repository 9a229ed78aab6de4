"""The verifier's own counts of a table with too many tuples to fetch: the nodes of a proof's floor.

Every node that a proof names must lie above one of them, and is counted from it. Each text gets a
number, digit by digit the way down its hierarchy over the levels that some node has, a row the sum
of its numbers (or several sums, if one cannot hold all columns), and a node is what is left when
the lower digits are masked. Nothing is shared with the search, which numbers values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.solution.proof import Proof
from lookalike.solution.recoding import Space
from lookalike.solution.solution import Solution
from lookalike.tables.table import Table
from lookalike.verifier.counted_original import CountedOriginal, Floor, LatticeNode

MAX_BITS = 62  # of a sum
MAX_LISTED = 1 << 20  # paths that are looked up in a list of all


@dataclass(frozen=True, slots=True)
class _Digits:
    """One column: the way of each leaf from the top down, and where each level's digit ends."""

    number: NDArray[np.int64]  # a leaf
    ends: dict[int, int]  # a level: bits below its digit
    bits: int


def count_floor(original: Table, counted: CountedOriginal, proof: Proof) -> CountedOriginal:
    """With the nodes of the proof's floor counted, and the small classes of those it refutes.

    A group is named by the first leaf of each of its codes. The small classes of a refuted node are
    counted only until they have more rows than may be suppressed.
    """
    policy, tables, columns = counted.policy, counted.tables, counted.counts
    nodes, refuted = proof.floor, proof.refuted
    if not nodes or any(not _fits(node, tables) for node in (*nodes, *refuted)):
        return counted
    floor: Floor = ()
    small_rows: dict[LatticeNode, int] = {}
    for part in _by_words(tables, nodes, refuted):
        counts, rows = _count(
            original, columns, tables, *part, policy.smallest, policy.allowance(columns.rows)
        )
        floor += counts
        small_rows |= rows
    return replace(counted, floor=floor, small_rows=small_rows)


def floor_covers(original: CountedOriginal, solution: Solution) -> bool:
    """Can every node that has to be counted be counted from the floor?"""
    node = solution.recoding.node if solution.recoding is not None else None
    levels = [node] if node is not None else []
    return (
        solution.space is Space.FULL_DOMAIN
        and bool(original.floor)
        and all(original.sources(node) for node in (*solution.proof.nodes, *levels))
        and original.small_rows.keys() == set(solution.proof.refuted)
    )


def _by_words(
    tables: Sequence[LevelTable], nodes: Sequence[LatticeNode], refuted: Sequence[LatticeNode]
) -> list[tuple[Sequence[LatticeNode], Sequence[LatticeNode]]]:
    """All at once; or, if the ways down a column are too many for a sum, one by one."""
    together = [_digits(table, a, (*nodes, *refuted)) for a, table in enumerate(tables)]
    if max((one.bits for one in together), default=0) <= MAX_BITS:
        return [(nodes, refuted)]
    return [*(([node], []) for node in nodes), *(([], [node]) for node in refuted)]


def _count(
    original: Table,
    columns: FrequencySet,
    tables: Sequence[LevelTable],
    nodes: Sequence[LatticeNode],
    refuted: Sequence[LatticeNode],
    fewer: int,
    enough: int,
) -> tuple[Floor, dict[LatticeNode, int]]:
    texts = [original.text_codes(name) for name in columns.names]
    digits = [_digits(table, a, (*nodes, *refuted)) for a, table in enumerate(tables)]
    places = _places(digits)
    words: list[dict[str, dict[str | None, int]]] = [{} for _ in range(places[-1][0] + 1)]
    for name, of_text, one, (word, at) in zip(columns.names, texts, digits, places, strict=True):
        number = (one.number << at).tolist()
        words[word][name] = {text: number[leaf] for text, leaf in of_text.items()}
    masks = [_masks(node, digits, places) for node in nodes]
    found = original.masked_counts(words, masks) if nodes else []
    alone: list[int] = []
    if refuted:
        too_fine = [_masks(node, digits, places) for node in refuted]
        alone = original.rows_in_small_groups(words, too_fine, fewer, enough)
    named = tuple(
        (node, _named(counted, columns, digits, places, node))
        for node, counted in zip(nodes, found, strict=True)
    )
    return named, dict(zip(refuted, alone, strict=True))


def _fits(node: LatticeNode, tables: Sequence[LevelTable]) -> bool:
    """Is it a node of these hierarchies at all?"""
    return len(node) == len(tables) and all(
        0 <= level <= table.height for level, table in zip(node, tables, strict=True)
    )


def _places(digits: Sequence[_Digits]) -> list[tuple[int, int]]:
    """Of each column the sum it is in, and the bits below it there."""
    found = []
    word = at = 0
    for one in digits:
        if at + one.bits > MAX_BITS:
            word, at = word + 1, 0
        found.append((word, at))
        at += one.bits
    return found


def _masks(
    node: LatticeNode, digits: Sequence[_Digits], places: Sequence[tuple[int, int]]
) -> list[int]:
    masks = [0] * (places[-1][0] + 1)
    for one, level, (word, at) in zip(digits, node, places, strict=True):
        masks[word] += ((1 << one.bits) - (1 << one.ends[level])) << at
    return masks


def _digits(table: LevelTable, a: int, nodes: Sequence[LatticeNode]) -> _Digits:
    levels = {node[a] for node in nodes}
    above = number = np.zeros(table.leaves, dtype=np.int64)
    widths: dict[int, int] = {}
    for level in sorted(levels, reverse=True):
        wide = len(table.labels[level])
        codes = table.codes[:, level].astype(np.int64)
        pairs, of = np.unique(above * wide + codes, return_inverse=True)
        turns = np.arange(len(pairs)) - np.searchsorted(pairs // wide, pairs // wide)
        widths[level] = int(turns.max(initial=0)).bit_length()
        number = (number << widths[level]) + turns[of]
        above = codes
    ends = {level: sum(w for under, w in widths.items() if under < level) for level in levels}
    return _Digits(number, ends, sum(widths.values()))


def _named(
    counted: Any,
    columns: FrequencySet,
    digits: Sequence[_Digits],
    places: Sequence[tuple[int, int]],
    node: LatticeNode,
) -> FrequencySet:
    """The groups of a node, each by the first leaf of its codes."""
    leaves = np.zeros((counted.num_rows, len(digits)), dtype=np.int32)
    for a, (one, level, (word, at)) in enumerate(zip(digits, node, places, strict=True)):
        sums: NDArray[np.int64] = counted.column(f"w{word}").to_numpy()
        way = sums >> (at + one.ends[level]) & ((1 << (one.bits - one.ends[level])) - 1)
        leaves[:, a] = _first(one.number >> one.ends[level], way)
    return replace(columns, codes=leaves, counts=counted.column("n").to_numpy().astype(np.int64))


def _first(shown: NDArray[np.int64], way: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of each way the first leaf that is there."""
    if (most := int(shown.max(initial=0))) < MAX_LISTED:
        first = np.zeros(most + 1, dtype=np.int64)
        first[shown[::-1]] = np.arange(len(shown))[::-1]
        return first[way]
    ways, leaf = np.unique(shown, return_index=True)
    return leaf[np.searchsorted(ways, way)]
