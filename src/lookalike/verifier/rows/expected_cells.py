"""The rows that a cell map must release, computed again from the original, by labels alone.

Groups of equal rows are looked up by their tuples. The rows of a split group are assigned to its
pieces by the rule that ``tables/table.py`` gives for ``Split``, implemented again here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.solution.recoding import CellMap
from lookalike.tables.table import Table
from lookalike.verifier.claim.group_classes import Whole
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.pseudonyms.keyed_values import Pseudonyms
from lookalike.verifier.rows.class_intervals import leaves_of, with_intervals
from lookalike.verifier.rows.text_replacement import relabelled


def recoded_by_cell(
    original: Table,
    columns: Sequence[str],
    counted: CountedOriginal,
    recoding: CellMap,
    pseudonyms: Pseudonyms,
) -> tuple[Any, int]:
    """The distinct rows that the release must have, with counts; and the suppressed rows.

    Rows are assigned to pieces by their pseudonyms, not by the values that these stand for.
    """
    tables = counted.tables
    rows = relabelled(original.distinct_text(columns), columns, pseudonyms)
    places = [list(columns).index(name) for name in recoding.names]
    leaf = np.stack(
        [
            leaves_of(rows.column(f"c{place}").combine_chunks(), original.text_codes(name))
            for name, place in zip(recoding.names, places, strict=True)
        ],
        axis=1,
    )
    group = groups_of(leaf, counted.counts)
    kept = [f"c{i}" for i in range(len(columns)) if i not in places]
    at, piece, count = _assign(rows, group, kept, recoding)
    gone = recoding.gone[piece]
    suppressed = int(count[gone].sum())
    if counted.policy.conventions.suppressed == "drop":
        at, piece, count = at[~gone], piece[~gone], count[~gone]
        gone = np.zeros(len(at), dtype=bool)
    table = rows.take(pa.array(at)).set_column(len(columns), "count", pa.array(count))
    for a, place in enumerate(places):
        level = np.where(gone, tables[a].height, recoding.levels[piece, a].astype(np.int64))
        shown = _labels(table.column(f"c{place}"), leaf[at, a], level, tables[a])
        table = table.set_column(place, f"c{place}", shown)
    return with_intervals(table, rows.take(pa.array(at)), original, counted), suppressed


def groups_of(leaf: Whole, counts: FrequencySet) -> Whole:
    """(rows,) the canonical number of the group of each row."""
    number = {tuple(codes): i for i, codes in enumerate(counts.codes[counts.canonical()].tolist())}
    return np.array([number[tuple(codes)] for codes in leaf.tolist()], dtype=np.int64)


def _assign(
    rows: Any, group: Whole, kept: Sequence[str], recoding: CellMap
) -> tuple[Whole, Whole, Whole]:
    """(row, piece, count): which distinct row goes to which piece, and how many times."""
    counts = rows.column("count").to_numpy().astype(np.int64)
    pieces: list[list[int]] = [[] for _ in range(int(recoding.group.max(initial=-1)) + 1)]
    for piece, number in enumerate(recoding.group.tolist()):
        pieces[number].append(piece)
    order = np.arange(len(group))
    if kept and len(group):
        keys = [(name, "ascending") for name in kept]
        order = pc.sort_indices(rows, sort_keys=keys).to_numpy()  # nulls last
    assigned: list[tuple[int, int, int]] = []
    turns: dict[int, list[int]] = {}  # of a split group: the pieces of its rows, last row first
    for row in order.tolist():
        number = int(group[row])
        if len(pieces[number]) == 1:
            assigned.append((row, pieces[number][0], int(counts[row])))
            continue
        if number not in turns:
            turns[number] = _turns(pieces[number], recoding.rows)[::-1]
        taken = [turns[number].pop() for _ in range(int(counts[row]))]
        assigned.extend((row, piece, taken.count(piece)) for piece in sorted(set(taken)))
    table = np.array(assigned, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def _turns(pieces: Sequence[int], rows: Whole) -> list[int]:
    """Each piece as often as it has rows, evenly spread."""
    places = [
        ((2 * j + 1) / (2 * int(rows[piece])), piece)
        for piece in pieces
        for j in range(int(rows[piece]))
    ]
    return [piece for _, piece in sorted(places)]


def _labels(own: Any, leaf: Whole, level: Whole, table: LevelTable) -> Any:
    """What each cell shows: its own text at level 0, otherwise the label of its leaf."""
    pairs, of = np.unique(level * table.leaves + leaf, return_inverse=True)
    labels = [
        table.labels[at // table.leaves][table.codes[at % table.leaves, at // table.leaves]]
        for at in pairs.tolist()
    ]
    shown = pa.array(labels, pa.string()).take(pa.array(of.reshape(-1)))
    return pc.if_else(pa.array(level == 0), own.combine_chunks().cast(pa.string()), shown)
