"""A table to codes once more, for the verifier: read by DuckDB, each code held against its cell.

The search has its codes from another reader; a fault of either shows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lookalike.tables.codes.interning import Interned, suits
from lookalike.tables.codes.texts import CodedText, Column
from lookalike.tables.codes.threads import each, threads
from lookalike.tables.duck_engine import DUCK, said_plainly, scratch
from lookalike.tables.rows import Rows

STRETCH = 1 << 18
MOST = 1 << 22  # distinct cells of a column
WORD = 64


class NotForCodes(Exception):
    """A column has a type, or too many distinct cells, that cannot be numbered."""


def read_texts(rows: Rows, sizes: Sequence[int] | None = None) -> CodedText:
    """All columns of the rows, in the order they are stored.

    If it is known how many distinct cells each has (``sizes``), rows are packed as they come.
    """
    width = len(rows.names)
    columns = ", ".join(f"c{i}" for i in range(width))
    with said_plainly(rows.where), ThreadPoolExecutor(threads()) as pool:
        reader = rows.then(f"SELECT {columns} FROM t").relation.to_arrow_reader(STRETCH)
        if not all(map(suits, reader.schema.types)):
            raise NotForCodes
        packing = _Packing([_Numbered(kind) for kind in reader.schema.types], sizes)
        waiting: deque[Future[None]] = deque()
        for number, batch in enumerate(reader):
            waiting.append(pool.submit(packing.take, number, batch))
            if len(waiting) > 2 * threads():
                waiting.popleft().result()
        for one in waiting:
            one.result()
    return packing.packed(rows)


class _Numbered:
    """The distinct cells of a column, numbered as they come; a null is one more than all others."""

    def __init__(self, kind: Any) -> None:
        self.interned = Interned(kind, MOST)
        self.null = False

    def of(self, cells: Any) -> NDArray[Any]:
        """The number of each cell, in as few bytes as they need; of a null the largest there is."""
        there = cells.drop_null() if cells.null_count else cells
        numbers = self.interned.numbers(there, False)
        if self.interned.full:
            raise NotForCodes
        if not self.interned.listed(there, numbers):
            raise AssertionError("a cell was given the number of another")
        held = self.interned.held
        most = 255 if held < 255 else 65535 if held < 65535 else 2**32 - 1
        found = numbers.astype(np.min_scalar_type(most))
        if not cells.null_count:
            return found
        self.null = True
        whole = np.full(len(cells), most, dtype=found.dtype)
        whole[cells.is_valid().to_numpy(zero_copy_only=False)] = found
        return whole

    @property
    def held(self) -> int:
        return self.interned.held

    def cells(self) -> Any:
        listed = self.interned.by_number()
        return pa.concat_arrays([listed, pa.nulls(1, listed.type)]) if self.null else listed


def texts_of(rows: Rows, place: int, cells: Any) -> tuple[str | None, ...]:
    """How DuckDB writes cells of the column at this place."""
    if not len(cells):
        return ()
    table = scratch().from_arrow(pa.table({"c": cells}))
    shown = rows.engine.text("c", rows.kinds()[place])
    found = DUCK.fetch(DUCK.ask(table, f"SELECT {shown} AS s FROM t", rows.where), rows.where)
    return tuple(found.column("s").to_pylist())


class _Packing:
    """Stretches of rows, each packed when the bits that columns take are known."""

    def __init__(self, numbered: Sequence[_Numbered], sizes: Sequence[int] | None) -> None:
        self.numbered = numbered
        self.places = None if sizes is None else _places([size + 1 for size in sizes])
        self.stretches: dict[int, list[NDArray[Any]]] = {}  # of codes, or of words

    def take(self, number: int, batch: Any) -> None:
        columns = zip(self.numbered, batch.columns, strict=True)
        codes = [one.of(column) for one, column in columns]
        if self.places is not None:
            if any(one.held >= 1 << bits for one, (_, _, bits) in
                   zip(self.numbered, self.places, strict=True)):  # fmt: skip
                raise NotForCodes  # another reader found fewer cells
            codes = self._words(codes, self.places)
        self.stretches[number] = codes

    def packed(self, rows: Rows) -> CodedText:
        """Stretches are let go of as they are packed, so that rows are not held twice."""
        texts = [texts_of(rows, i, one.cells()) for i, one in enumerate(self.numbered)]
        places = self.places or _places([len(of) for of in texts])
        order = sorted(self.stretches)
        begins = np.cumsum([0, *(len(self.stretches[at][0]) for at in order)]).tolist()
        words = [np.empty(begins[-1], np.uint64) for _ in range(max(w for w, _, _ in places) + 1)]
        known = self.places is not None

        def put(at: int) -> None:
            stretch = self.stretches.pop(order[at])
            part = stretch if known else self._words(stretch, places)
            for word, of in zip(words, part, strict=True):
                word[begins[at] : begins[at + 1]] = of

        each(put, range(len(order)))
        columns = zip(places, texts, self.numbered, strict=True)
        found = tuple(
            Column(word, shift, bits, _with_null(of, bits if known and one.null else None))
            for (word, shift, bits), of, one in columns
        )
        return CodedText(rows.where, rows.names, found, words)

    def _words(
        self, codes: list[NDArray[Any]], places: Sequence[tuple[int, int, int]]
    ) -> list[NDArray[Any]]:
        """The rows of a stretch; a null is the number after all others, or the largest there is."""
        words = [
            np.zeros(len(codes[0]), np.uint64) for _ in range(max(w for w, _, _ in places) + 1)
        ]
        for (word, shift, bits), of, one in zip(places, codes, self.numbered, strict=True):
            whole = of.astype(np.uint64)
            if one.null:
                last = (1 << bits) - 1 if self.places is not None else one.held
                whole[of == (1 << (8 * of.itemsize)) - 1] = last
            words[word] |= whole << np.uint64(shift)
        return words


def _with_null(texts: tuple[str | None, ...], bits: int | None) -> tuple[str | None, ...]:
    """The null, listed last, moved to the largest number that the bits can say."""
    if bits is None:
        return texts
    return texts[:-1] + (None,) * ((1 << bits) - len(texts) + 1)


def _places(sizes: Sequence[int]) -> list[tuple[int, int, int]]:
    """Word, shift and bits of each column."""
    places, word, used = [], 0, 0
    for size in sizes:
        bits = max(1, size - 1).bit_length()
        if used + bits > WORD:
            word, used = word + 1, 0
        places.append((word, used, bits))
        used += bits
    return places
