"""Equivalence classes and the sensitive values in each, as the verifier counts them.

Counted either from the released rows or from the original's groups at a lattice node. The
requirements are judged on these counts in ``definitions.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.policy.cell_text import is_null, text
from lookalike.verifier.rows.text_codes import encoded

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
MAX_CELLS = 4_000_000  # of a table of class by value that is made at a time


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """How the values of a sensitive column spread over the classes: an entry for each pair."""

    texts: tuple[str | None, ...]  # (values,)
    of: Whole  # (entries,) class
    code: Whole  # (entries,) value
    count: Whole  # (entries,) rows

    @property
    def total(self) -> Whole:
        """(values,) rows that hold each value."""
        return _sums(self.code, self.count, len(self.texts))


@dataclass(frozen=True, slots=True, eq=False)
class CountedClasses:
    """Sizes of the classes, and the spread of each sensitive column over them.

    ``totals`` are the rows of the release that hold each value: classes are compared with these.
    """

    sizes: Whole  # (classes,)
    spreads: Mapping[str, Spread] = field(default_factory=dict)
    totals: Mapping[str, Whole] = field(default_factory=dict)
    population: Whole | None = None  # (classes,) people of the population who look like each
    outside: int = 0  # people of the population who look like none

    def __len__(self) -> int:
        return len(self.sizes)

    @staticmethod
    def of(sizes: Whole, spreads: Mapping[str, Spread]) -> CountedClasses:
        """Classes that are the whole release."""
        return CountedClasses(sizes, spreads, _totals(spreads))

    def blocks(self, name: str) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Tables of rows by class and value of a column, for some classes at a time."""
        spread = self.spreads[name]
        of, code, count = spread.of, spread.code, spread.count
        values = len(spread.texts)
        step = max(1, MAX_CELLS // max(1, values))
        if step < len(self):
            order = np.argsort(of, kind="stable")
            of, code, count = of[order], code[order], count[order]
        for begin in range(0, len(self), step):
            end = min(begin + step, len(self))
            first, last = np.searchsorted(of, [begin, end]) if step < len(self) else (0, len(of))
            place = (of[first:last] - begin) * values + code[first:last]
            cells = (end - begin) * values
            table = np.bincount(place, weights=count[first:last], minlength=cells).astype(float)
            yield slice(begin, end), table.reshape(end - begin, values)

    def merged(self, into: Whole) -> CountedClasses:
        """Coarser classes of the same release; ``into`` is the coarser class of each."""
        classes = int(into.max(initial=-1)) + 1
        spreads = {
            name: replace(spread, of=into[spread.of]) for name, spread in self.spreads.items()
        }
        population = None if self.population is None else _sums(into, self.population, classes)
        sizes = _sums(into, self.sizes, classes)
        return CountedClasses(sizes, spreads, self.totals, population, self.outside)

    def without(self, gone: Flags, *, dropped: bool) -> CountedClasses:
        """Some classes emptied; ``dropped`` if their rows leave the release as well."""
        spreads = {}
        for name, spread in self.spreads.items():
            stay = ~gone[spread.of]
            spreads[name] = replace(
                spread, of=spread.of[stay], code=spread.code[stay], count=spread.count[stay]
            )
        totals = _totals(spreads) if dropped else self.totals
        sizes = np.where(gone, 0, self.sizes)
        return CountedClasses(sizes, spreads, totals, self.population, self.outside)


def classes_of_groups(
    counts: FrequencySet, names: Iterable[str], of_group: Whole, sizes: Whole
) -> CountedClasses:
    """From an original's counts; ``of_group`` is the class of each group."""
    spreads = {}
    for name in names:
        entries = counts.sensitive[name]
        texts = [None if is_null(value) else text(value) for value in entries.values]
        spreads[name] = spread_of(texts, of_group[entries.group], entries.code, entries.count)
    return CountedClasses.of(sizes, spreads)


def classes_of_rows(
    rows: Any, classes: Any, places: Sequence[str], sensitive: Mapping[str, str]
) -> CountedClasses:
    """From distinct rows with counts, and their ``classes`` over the columns at ``places``.

    ``sensitive`` is the place of each sensitive column among the rows.
    """
    sizes: Whole = classes.column("count").to_numpy().astype(np.int64)
    if not sensitive:
        return CountedClasses(sizes)
    labels = zip(*(classes.column(place).to_pylist() for place in places), strict=True)
    number = {cells: i for i, cells in enumerate(labels)}
    labels = zip(*(rows.column(place).to_pylist() for place in places), strict=True)
    of = np.array([number[cells] for cells in labels], dtype=np.int64)
    count = rows.column("count").to_numpy()
    spreads = {}
    for name, place in sensitive.items():
        code, texts = encoded(rows.column(place).combine_chunks())
        spreads[name] = spread_of(texts, of, code, count)
    return CountedClasses.of(sizes, spreads)


def spread_of(
    texts: Sequence[str | None],
    of: NDArray[np.integer],
    code: NDArray[np.integer],
    count: NDArray[np.integer],
) -> Spread:
    """From entries; values with the same text become one."""
    number = {value: i for i, value in enumerate(dict.fromkeys(texts))}
    merged = np.array([number[value] for value in texts], dtype=np.int64)
    return Spread(tuple(number), of.astype(np.int64), merged[code], count.astype(np.int64))


def number_tuples(tuples: Iterable[tuple[str | None, ...]]) -> Whole:
    """Numbers from 0, the same for equal tuples."""
    number: dict[tuple[str | None, ...], int] = {}
    return np.array([number.setdefault(cells, len(number)) for cells in tuples], dtype=np.int64)


def _totals(spreads: Mapping[str, Spread]) -> dict[str, Whole]:
    return {name: spread.total for name, spread in spreads.items()}


def _sums(place: Whole, rows: Whole, places: int) -> Whole:
    """(places,) the sum of the rows at each place."""
    return np.bincount(place, weights=rows, minlength=places).astype(np.int64)
