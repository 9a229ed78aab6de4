"""The release that a cell map must give, worked out once more from the original, by labels alone.

Groups of equal rows are looked up by their tuples, and the rows of a split group dealt to its
pieces as ``tables/table.py`` says of ``Split``; this is the verifier's own dealing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.solution.recoding import CellMap
from lookalike.tables.table import Table
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.pseudonyms.keyed_values import Names
from lookalike.verifier.rows.class_intervals import leaves_of, with_intervals
from lookalike.verifier.rows.text_replacement import with_pseudonyms

Whole = NDArray[np.int64]


def recoded_by_cell(
    original: Table,
    columns: Sequence[str],
    recoding: CellMap,
    counted: CountedOriginal,
    called: Names,
) -> tuple[Any, int]:
    """The distinct rows that the release must hold, with counts, and the rows left out.

    They are dealt by their pseudonyms, not by what these stand for.
    """
    rows = with_pseudonyms(original.distinct_text(columns), columns, called)
    places = [list(columns).index(name) for name in recoding.names]
    leaf = np.stack(
        [
            leaves_of(rows.column(f"c{place}").combine_chunks(), original.text_codes(name))
            for name, place in zip(recoding.names, places, strict=True)
        ],
        axis=1,
    )
    group = _groups(leaf, counted.counts)
    kept = [f"c{i}" for i in range(len(columns)) if i not in places]
    at, piece, held = _deal(rows, group, kept, recoding)
    gone = recoding.gone[piece]
    suppressed = int(held[gone].sum())
    if counted.policy.conventions.suppressed == "drop":
        at, piece, held = at[~gone], piece[~gone], held[~gone]
        gone = np.zeros(len(at), dtype=bool)
    table = rows.take(pa.array(at)).set_column(len(columns), "count", pa.array(held))
    for a, place in enumerate(places):
        hierarchy = counted.tables[a]
        level = np.where(gone, hierarchy.height, recoding.levels[piece, a].astype(np.int64))
        shown = _labels(table.column(f"c{place}"), leaf[at, a], level, hierarchy)
        table = table.set_column(place, f"c{place}", shown)
    table = with_intervals(table, rows.take(pa.array(at)), original, counted)
    return table, suppressed


def _groups(leaf: Whole, counts: FrequencySet) -> Whole:
    """The canonical number of the group that each row belongs to."""
    number = {tuple(codes): i for i, codes in enumerate(counts.codes[counts.canonical()].tolist())}
    return np.array([number[tuple(codes)] for codes in leaf.tolist()], dtype=np.int64)


def _deal(
    rows: Any, group: Whole, kept: Sequence[str], recoding: CellMap
) -> tuple[Whole, Whole, Whole]:
    """(row, piece, count): which distinct row goes to which piece, how many times."""
    held = rows.column("count").to_numpy().astype(np.int64)
    pieces: list[list[int]] = [[] for _ in range(int(recoding.group.max(initial=-1)) + 1)]
    for piece, of in enumerate(recoding.group.tolist()):
        pieces[of].append(piece)
    order = np.arange(len(group))
    if kept and len(group):
        keys = [(name, "ascending") for name in kept]
        order = pc.sort_indices(rows, sort_keys=keys).to_numpy()  # nulls last
    found: list[tuple[int, int, int]] = []
    turns: dict[int, list[int]] = {}  # of a split group: whose turn it is, row by row, last first
    for row in order.tolist():
        of = int(group[row])
        if len(pieces[of]) == 1:
            found.append((row, pieces[of][0], int(held[row])))
            continue
        if of not in turns:
            turns[of] = _turns(pieces[of], recoding.rows)[::-1]
        dealt = [turns[of].pop() for _ in range(int(held[row]))]
        found.extend((row, piece, dealt.count(piece)) for piece in sorted(set(dealt)))
    table = np.array(found, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def _turns(pieces: Sequence[int], rows: Whole) -> list[int]:
    """Every piece as often as it has rows, evenly spread."""
    places = [
        ((2 * j + 1) / (2 * int(rows[piece])), piece)
        for piece in pieces
        for j in range(int(rows[piece]))
    ]
    return [piece for _, piece in sorted(places)]


def _labels(own: Any, leaf: Whole, level: Whole, table: LevelTable) -> Any:
    """What each cell shows: its own text at level 0, else the label of its leaf."""
    pairs, of = np.unique(level * table.leaves + leaf, return_inverse=True)
    labels = [
        table.labels[at // table.leaves][table.codes[at % table.leaves, at // table.leaves]]
        for at in pairs.tolist()
    ]
    shown = pa.array(labels, pa.string()).take(pa.array(of.reshape(-1)))
    return pc.if_else(pa.array(level == 0), own.combine_chunks().cast(pa.string()), shown)
