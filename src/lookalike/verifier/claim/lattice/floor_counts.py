"""Count the floor nodes of a proof, for a table with too many distinct tuples to fetch.

Every node that a proof names must be at or above one of the floor nodes, and is counted from it.
Each text of a column gets a number: the digits are its path down the hierarchy, over the levels
that some floor node has. The numbers of all columns are packed into one word (or several, if they
do not fit). A node is counted by masking the lower digits of each column. The search has its own
code for this, which shares nothing with this one.
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

MAX_BITS = 62  # of a word
MAX_LISTED = 1 << 20  # paths that are looked up in an array of all


@dataclass(frozen=True, slots=True)
class _Digits:
    """The numbers of one column: a path of each leaf from the top down, a digit for each level."""

    number: NDArray[np.int64]  # (leaves,)
    ends: dict[int, int]  # by level: bits below its digit
    bits: int  # of all digits


def count_floor(original: Table, counted: CountedOriginal, proof: Proof) -> CountedOriginal:
    """With the floor nodes of the proof counted, and the small classes of the nodes it refutes.

    A group is represented by the first leaf of each of its codes. The rows in small classes of a
    refuted node are counted only until they are more than may be suppressed.
    """
    nodes, refuted = proof.floor, proof.refuted
    if not nodes or not all(_fits(node, counted.tables) for node in (*nodes, *refuted)):
        return counted
    floor: Floor = ()
    small_rows: dict[LatticeNode, int] = {}
    for part in _by_words(counted.tables, nodes, refuted):
        counts, rows = _count(original, counted, *part)
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
    """All nodes at once; or one by one, if the paths down a column do not fit in a word."""
    bits = (_digits(table, a, (*nodes, *refuted)).bits for a, table in enumerate(tables))
    if max(bits, default=0) <= MAX_BITS:
        return [(nodes, refuted)]
    return [*(([node], []) for node in nodes), *(([], [node]) for node in refuted)]


def _count(
    original: Table,
    counted: CountedOriginal,
    nodes: Sequence[LatticeNode],
    refuted: Sequence[LatticeNode],
) -> tuple[Floor, dict[LatticeNode, int]]:
    columns, policy = counted.counts, counted.policy
    digits = [_digits(table, a, (*nodes, *refuted)) for a, table in enumerate(counted.tables)]
    places = _places(digits)
    words: list[dict[str, dict[str | None, int]]] = [{} for _ in range(places[-1][0] + 1)]
    for name, column, (word, at) in zip(columns.names, digits, places, strict=True):
        number = (column.number << at).tolist()
        codes = original.text_codes(name).items()
        words[word][name] = {text: number[leaf] for text, leaf in codes}
    floor: Floor = ()
    if nodes:
        masks = [_masks(node, digits, places) for node in nodes]
        counts = zip(nodes, original.masked_counts(words, masks), strict=True)
        floor = tuple((node, _groups(rows, columns, digits, places, node)) for node, rows in counts)
    if not refuted:
        return floor, {}
    masks = [_masks(node, digits, places) for node in refuted]
    allowance = policy.allowance(columns.rows)
    small_rows = original.rows_in_small_groups(words, masks, policy.smallest, allowance)
    return floor, dict(zip(refuted, small_rows, strict=True))


def _fits(node: LatticeNode, tables: Sequence[LevelTable]) -> bool:
    """Is it a node of these hierarchies?"""
    return len(node) == len(tables) and all(
        0 <= level <= table.height for level, table in zip(node, tables, strict=True)
    )


def _places(digits: Sequence[_Digits]) -> list[tuple[int, int]]:
    """The word of each column, and the bits below the column there."""
    places = []
    word = at = 0
    for column in digits:
        if at + column.bits > MAX_BITS:
            word, at = word + 1, 0
        places.append((word, at))
        at += column.bits
    return places


def _masks(
    node: LatticeNode, digits: Sequence[_Digits], places: Sequence[tuple[int, int]]
) -> list[int]:
    """The bits of each word that tell the groups of a node apart."""
    masks = [0] * (places[-1][0] + 1)
    for column, level, (word, at) in zip(digits, node, places, strict=True):
        masks[word] += ((1 << column.bits) - (1 << column.ends[level])) << at
    return masks


def _digits(table: LevelTable, a: int, nodes: Sequence[LatticeNode]) -> _Digits:
    levels = {node[a] for node in nodes}
    above = number = np.zeros(table.leaves, dtype=np.int64)
    widths: dict[int, int] = {}
    for level in sorted(levels, reverse=True):
        labels = len(table.labels[level])
        codes = table.codes[:, level].astype(np.int64)
        pairs, of = np.unique(above * labels + codes, return_inverse=True)
        digit = np.arange(len(pairs)) - np.searchsorted(pairs // labels, pairs // labels)
        widths[level] = int(digit.max(initial=0)).bit_length()
        number = (number << widths[level]) + digit[of]
        above = codes
    ends = {level: sum(w for under, w in widths.items() if under < level) for level in levels}
    return _Digits(number, ends, sum(widths.values()))


def _groups(
    counts: Any,
    columns: FrequencySet,
    digits: Sequence[_Digits],
    places: Sequence[tuple[int, int]],
    node: LatticeNode,
) -> FrequencySet:
    """The groups of a node, each with the first leaf of its codes."""
    leaves = np.zeros((counts.num_rows, len(digits)), dtype=np.int32)
    for a, (column, level, (word, at)) in enumerate(zip(digits, node, places, strict=True)):
        words: NDArray[np.int64] = counts.column(f"w{word}").to_numpy()
        path = words >> (at + column.ends[level]) & ((1 << (column.bits - column.ends[level])) - 1)
        leaves[:, a] = _first_leaf(column.number >> column.ends[level], path)
    return replace(columns, codes=leaves, counts=counts.column("n").to_numpy().astype(np.int64))


def _first_leaf(path_of: NDArray[np.int64], path: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first leaf with each path; ``path_of`` is the path of each leaf."""
    if (largest := int(path_of.max(initial=0))) < MAX_LISTED:
        first = np.zeros(largest + 1, dtype=np.int64)
        first[path_of[::-1]] = np.arange(len(path_of))[::-1]
        return first[path]
    paths, leaf = np.unique(path_of, return_index=True)
    return leaf[np.searchsorted(paths, path)]
