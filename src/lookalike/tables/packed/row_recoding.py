"""Codes to the codes of a release: other values for each column, some rows gone, and sorted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lookalike.counts.level_table import TOP
from lookalike.errors import Fault, TableError
from lookalike.tables.packed.bit_layout import Layout, Words
from lookalike.tables.packed.column_codes import Codes
from lookalike.tables.packed.key_counts import group
from lookalike.tables.packed.sorting import sort_rows
from lookalike.tables.sql.row_assignment import STALE
from lookalike.tables.table import Edit

WORD = 64
FEW = 1 << 16  # distinct rows that are always worth grouping
MANY = 1 << 22  # and that are not: their hash table would take more room than the rows
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Sorted rows: ``words`` by ``layout`` into ``values``, each ``times`` times, or once."""

    names: tuple[str, ...]
    values: tuple[Any, ...]
    layout: Layout
    words: tuple[Words, ...]
    times: Whole | None

    @property
    def rows(self) -> int:
        return len(self.words[0]) if self.times is None else int(self.times.sum())


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    """One released column: its values in order, and for each code of the original its place."""

    place: int  # of the column in the original
    values: Any
    to: Whole
    starred: Whole  # where a suppressed row goes


def edited(codes: Codes, edit: Edit, texts: Callable[[int], Sequence[str | None]],
           where: str) -> Coded | None:  # fmt: skip
    """The release. Uses the codes up. None if classes do not fit in a word; ``texts`` are those of
    a column's values.
    """
    shifts = _shifts(edit)
    if shifts is None:
        return None
    shown = [_shown(codes, edit, name, texts) for name in edit.columns]
    layout = Layout.of([len(one.values) for one in shown])
    keys: list[Words | None] = [None] * len(codes.names)
    gone = np.zeros(len(edit.suppressed), dtype=np.uint64)
    for a, (name, up) in enumerate(shifts.items()):
        class_of = edit.recodings[name].codes.astype(np.uint64)
        keys[codes.names.index(name)] = class_of << np.uint64(up)
        gone += edit.suppressed[:, a].astype(np.uint64) << np.uint64(up)
    gone = np.unique(gone)
    before = codes.rows
    suppressed = _suppressed(codes, keys, gone) if edit.star else None
    luts = _luts(codes, shown, layout, [one.to for one in shown])
    stars = _luts(codes, shown, layout, [one.starred for one in shown]) if edit.star else None
    words = codes.recoded(luts, keys, gone, stars, reuse=True)
    rows = len(words[0])
    suppressed = before - rows if suppressed is None else suppressed
    _check(before - suppressed, suppressed, edit, where)
    few = group(words, min(MANY, max(FEW, rows // 4)))
    if few is not None:
        return Coded(edit.columns, tuple(one.values for one in shown), layout, *few)
    words = sort_rows(words)
    return Coded(edit.columns, tuple(one.values for one in shown), layout, words, None)


def _shifts(edit: Edit) -> dict[str, int] | None:
    """Where each quasi-identifier's class is in the key of a row; None if there is no room."""
    found, used = {}, 0
    for name, recoding in edit.recodings.items():
        found[name] = used
        used += int(recoding.codes.max(initial=0)).bit_length()
    return found if used <= WORD else None


def _shown(
    codes: Codes, edit: Edit, name: str, texts: Callable[[int], Sequence[str | None]]
) -> _Shown:
    place = codes.names.index(name)
    own = np.arange(len(codes.values[place]))
    recoding = edit.recodings.get(name)
    if recoding is None or (recoding.labels is None and not edit.star):
        return _Shown(place, codes.values[place], own, own)
    if recoding.labels is None:
        labels = list(texts(place))
    else:
        labels = [recoding.labels[code] for code in recoding.codes.tolist()]
    listed = {*labels, TOP} if edit.star else set(labels)
    known: list[str | None] = [*sorted(one for one in listed if one is not None)]
    known += [None] if None in listed else []
    number = {label: i for i, label in enumerate(known)}
    to = np.array([number[label] for label in labels], dtype=np.int64).reshape(-1)
    starred = np.full(len(to), number.get(TOP, 0))
    return _Shown(place, pa.array(known, pa.string()), to, starred)


def _luts(
    codes: Codes, shown: Sequence[_Shown], layout: Layout, to: Sequence[Whole]
) -> list[list[Words | None]]:
    """By word of the release and column of the original, what each code adds."""
    found = []
    for word in layout.luts(to):
        luts: list[Words | None] = [None] * len(codes.names)
        for one, lut in zip(shown, word, strict=True):
            luts[one.place] = lut
        found.append(luts)
    return found


def _suppressed(codes: Codes, keys: Sequence[Words | None], gone: Words) -> int:
    """How many rows are of classes that go."""
    if not len(gone):
        return 0
    found = codes.count(keys, 1 << 62)
    assert found is not None
    return int(found[1][np.isin(found[0], gone)].sum())


def _check(kept: int, gone: int, edit: Edit, where: str) -> None:
    faults = []
    if kept != edit.rows_kept:
        faults.append(Fault(where, f"{kept} rows to keep, {edit.rows_kept} planned", STALE))
    if gone != edit.rows_suppressed:
        problem = f"{gone} rows to suppress, {edit.rows_suppressed} planned"
        faults.append(Fault(where, problem, STALE))
    if faults:
        raise TableError(faults)
