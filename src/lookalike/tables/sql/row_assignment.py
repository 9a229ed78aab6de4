"""Assign the rows of a group to its pieces, for cell-level recodings, in SQL."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lookalike.errors import Fault, TableError
from lookalike.tables.sql.relation import Rows
from lookalike.tables.table import Edit, Split

STALE = (
    "count the table again: it is not the table that the edit was made for; it may have changed, "
    "or the counts in the --cache folder are of another table, so empty that folder"
)


def assign_pieces(coded: Rows, rows: Rows, edit: Edit) -> Rows:
    """Add ``gone``, labels l0 … and flags own0 … to rows with codes q0, q1 …

    TableError if a row has an unknown tuple, or has no piece.
    """
    split = edit.split
    assert split is not None
    with_piece = _add_piece(_add_group(coded, split), rows, edit, split)
    columns = {"piece": pa.array(np.arange(len(split.group)), pa.int64()), "gone": split.suppressed}
    for j, name in enumerate(edit.recodings):
        labels = split.labels[name] or [None] * len(split.group)
        columns |= {f"l{j}": pa.array(labels, pa.string()), f"own{j}": split.unchanged[name]}
    added = "".join(f", m.l{j}, m.own{j}" for j in range(len(edit.recodings)))
    joined = with_piece.left_join(pa.table(columns), f"m.gone{added}", "t.piece = m.piece")
    if count := joined.fetch_number("SELECT count(*) FROM t WHERE gone IS NULL"):
        raise TableError(Fault(rows.where, f"{count} rows have no piece in the edit", STALE))
    return joined


def _add_group(coded: Rows, split: Split) -> Rows:
    """Add ``g``, the group of each row."""
    width = split.tuples.shape[1]
    codes = {f"q{j}": split.tuples[:, j] for j in range(width)}
    groups = pa.table(codes | {"g": np.arange(len(split.tuples))})
    same = " AND ".join(f"t.q{j} = m.q{j}" for j in range(width))
    return coded.left_join(groups, "m.g", same)


def _add_piece(grouped: Rows, rows: Rows, edit: Edit, split: Split) -> Rows:
    """Add ``piece``: the only piece of a group, or the one that the row is assigned to."""
    pieces = np.bincount(split.group, minlength=len(split.tuples))
    only = pieces[split.group] == 1
    whole = pa.table({"g": split.group[only], "piece": np.flatnonzero(only)})
    if only.all():
        return grouped.left_join(whole, "m.piece", "t.g = m.g")
    kept = [name for name in edit.columns if name not in edit.recodings]
    order = [f"{text} ASC NULLS LAST" for text in rows.texts(kept)] or ["g"]
    ranked = grouped.query(
        "SELECT t.*, row_number() OVER (PARTITION BY g "
        f"ORDER BY {', '.join(order)}) - 1 AS r FROM t"
    )
    with_whole = ranked.left_join(whole, "m.piece AS whole", "t.g = m.g")
    group, rank, piece = spread_pieces(split.group, split.rows, np.flatnonzero(~only))
    ranks = pa.table({"g": group, "r": rank, "piece": piece})
    added = "coalesce(t.whole, m.piece) AS piece"
    return with_whole.left_join(ranks, added, "t.g = m.g AND t.r = m.r")


def spread_pieces(
    group: NDArray[np.int64], rows: NDArray[np.int64], pieces: Sequence[int] | NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """(group, rank, piece) for each row of the groups of these pieces.

    The j-th of the c rows of a piece gets the place (j + ½) / c along its group. Rows are ranked by
    place, equal places by piece, so every piece is spread evenly.
    """
    piece = np.repeat(np.asarray(pieces, dtype=np.int64), rows[pieces])
    first = np.cumsum(rows[pieces]) - rows[pieces]
    at = np.arange(len(piece)) - np.repeat(first, rows[pieces])
    place = (2 * at + 1) / (2 * rows[piece])
    piece = piece[np.lexsort((piece, place, group[piece]))]
    starts = np.flatnonzero(np.diff(group[piece], prepend=-1))
    lengths = np.diff(starts, append=len(piece))
    return group[piece], np.arange(len(piece)) - np.repeat(starts, lengths), piece
