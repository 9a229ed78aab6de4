"""What the classes of a table hold of its sensitive columns, for the verifier alone.

Counted by whoever looks: from the released rows, or from the original's groups at a node. Rules are
judged on it in ``judging.py``, on plain tables of class by value, some classes at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.policy.cell_text import is_null, text

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
CELLS = 4_000_000  # of a table of class by value that is made at a time


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Rows by class and value, one entry each."""

    texts: tuple[str | None, ...]  # the values
    of: Whole  # (entries,) class
    code: Whole  # (entries,) value
    rows: Whole  # (entries,)


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Classes and what they hold. ``total`` is what each column holds in the release as a whole."""

    sizes: Whole
    columns: Mapping[str, Column] = field(default_factory=dict)
    total: Mapping[str, Whole] = field(default_factory=dict)
    people: Whole | None = None  # (classes,) of the population who look like each
    others: int = 0  # of the population who look like none

    def __len__(self) -> int:
        return len(self.sizes)

    @staticmethod
    def of(sizes: Whole, columns: Mapping[str, Column]) -> Held:
        """Held against all of these classes."""
        return Held(sizes, columns, {name: _total(column) for name, column in columns.items()})

    def blocks(self, name: str) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """(classes, values) rows, for some classes after the other."""
        column = self.columns[name]
        of, code, rows = column.of, column.code, column.rows
        step = max(1, CELLS // max(1, len(column.texts)))
        if step < len(self):
            order = np.argsort(of, kind="stable")
            of, code, rows = of[order], code[order], rows[order]
        for begin in range(0, len(self), step):
            end = min(begin + step, len(self))
            first, last = np.searchsorted(of, [begin, end]) if step < len(self) else (0, len(of))
            place = (of[first:last] - begin) * len(column.texts) + code[first:last]
            cells = (end - begin) * len(column.texts)
            table = np.bincount(place, weights=rows[first:last], minlength=cells).astype(float)
            yield slice(begin, end), table.reshape(end - begin, len(column.texts))

    def joined(self, into: Whole) -> Held:
        """Coarser classes, ``into`` being the class of each; held against the same release."""
        many = int(into.max(initial=-1)) + 1
        sizes = _added(into, self.sizes, many)
        columns = {
            name: replace(column, of=into[column.of]) for name, column in self.columns.items()
        }
        people = None
        if self.people is not None:
            people = _added(into, self.people, many)
        return Held(sizes, columns, self.total, people, self.others)

    def emptied(self, gone: Flags, *, dropped: bool) -> Held:
        """Without the rows of some classes; ``dropped`` if they leave the release, too."""
        columns = {}
        for name, column in self.columns.items():
            stay = ~gone[column.of]
            columns[name] = replace(
                column, of=column.of[stay], code=column.code[stay], rows=column.rows[stay]
            )
        total = {name: _total(column) for name, column in columns.items()}
        sizes = np.where(gone, 0, self.sizes)
        return Held(sizes, columns, total if dropped else self.total, self.people, self.others)


def held_by(counts: FrequencySet, names: Iterable[str], of_group: Whole, sizes: Whole) -> Held:
    """From an original's counts; ``of_group`` is the class of each group."""
    columns = {}
    for name in names:
        entries = counts.sensitive[name]
        read = [None if is_null(value) else text(value) for value in entries.values]
        columns[name] = column_of(read, of_group[entries.group], entries.code, entries.count)
    return Held.of(sizes, columns)


def held_of_rows(rows: Any, classes: Any, places: Sequence[str], judged: Mapping[str, str]) -> Held:
    """From distinct rows with counts, and their ``classes`` over the columns at ``places``.

    ``judged`` says what each column that rules speak of is called among the rows.
    """
    sizes: Whole = classes.column("count").to_numpy().astype(np.int64)
    if not judged:
        return Held(sizes)
    shown = zip(*(classes.column(place).to_pylist() for place in places), strict=True)
    number = {labels: i for i, labels in enumerate(shown)}
    cells = zip(*(rows.column(place).to_pylist() for place in places), strict=True)
    of = np.array([number[labels] for labels in cells], dtype=np.int64)
    counts = rows.column("count").to_numpy()
    columns = {}
    for name, place in judged.items():
        values = rows.column(place).combine_chunks()
        encoded = values.dictionary_encode(null_encoding="encode")
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        columns[name] = column_of(encoded.dictionary.to_pylist(), of, codes, counts)
    return Held.of(sizes, columns)


def column_of(
    texts: Sequence[str | None],
    of: NDArray[np.integer],
    code: NDArray[np.integer],
    rows: NDArray[np.integer],
) -> Column:
    """From entries; values that read the same are one."""
    known: dict[str | None, int] = {}
    for value in texts:
        known.setdefault(value, len(known))
    same = np.array([known[value] for value in texts], dtype=np.int64)
    return Column(tuple(known), of.astype(np.int64), same[code], rows.astype(np.int64))


def _total(column: Column) -> Whole:
    return _added(column.code, column.rows, len(column.texts))


def _added(place: Whole, rows: Whole, many: int) -> Whole:
    """(many,) the sum of the rows of each place."""
    return np.bincount(place, weights=rows, minlength=many).astype(np.int64)
