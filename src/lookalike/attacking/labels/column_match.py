"""One column: which labels fit which of the outsider's values, and which values are alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.labels.label_coverage import Reader
from lookalike.counts.level_table import Value
from lookalike.policy.hierarchy import Hierarchy

Whole = NDArray[np.int64]
DENSE = 1 << 26  # cells of a table to look pairs up in


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Values that the same labels fit are one kind: an attacker cannot tell them apart."""

    kind: Whole  # (values,) the kind of each of the outsider's values
    kinds: int
    labels: int
    start: Whole  # (kinds + 1,) where the labels of each kind begin
    label: Whole  # (fits,) labels kind by kind, rising within each
    not_understood: NDArray[np.bool_]  # (labels,)
    unread: int  # values of the outsider that the policy's hierarchy cannot place

    @property
    def single(self) -> bool:
        """Does at most one label fit each value?"""
        return bool((np.diff(self.start) <= 1).all())

    def only_label(self) -> Whole:
        """(kinds,) of a single column; −1: none."""
        found = np.full(self.kinds, -1, dtype=np.int64)
        has = np.diff(self.start) > 0
        found[has] = self.label[self.start[:-1][has]]
        return found

    def rows(self, kinds: Whole) -> NDArray[np.bool_]:
        """(kinds asked for, labels) what fits."""
        lengths = self.start[kinds + 1] - self.start[kinds]
        row = np.repeat(np.arange(len(kinds)), lengths)
        found = np.zeros((len(kinds), self.labels), dtype=np.bool_)
        found[row, self.label[spans(self.start[kinds], lengths)]] = True
        return found

    def lookup(self) -> Callable[[Whole, Whole], NDArray[np.bool_]]:
        """Pair by pair: does the label fit the kind?"""
        if self.kinds * self.labels <= DENSE:
            dense = self.rows(np.arange(self.kinds))
            return lambda kinds, labels: dense[kinds, labels]
        of = np.repeat(np.arange(self.kinds), np.diff(self.start))
        keys = of * self.labels + self.label  # rising

        def look(kinds: Whole, labels: Whole) -> NDArray[np.bool_]:
            wanted = kinds * self.labels + labels
            if not len(keys):
                return np.zeros(len(wanted), dtype=np.bool_)
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            found: NDArray[np.bool_] = keys[at] == wanted
            return found

        return look


def spans(start: Whole, lengths: Whole) -> Whole:
    """The places start, start + 1, … of each span, one span after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    found: Whole = np.arange(total) + np.repeat(start - (ends - lengths), lengths)
    return found


def fit_column(
    name: str, labels: Sequence[Value], values: Sequence[Value], hierarchy: Hierarchy | None
) -> Fit:
    """Read every label once; put the values in kinds."""
    reader = Reader(name, values, labels, hierarchy)
    read = [reader.read(label) for label in reader.labels]
    lengths = np.array([len(found) for found, _ in read], dtype=np.int64)
    label = np.repeat(np.arange(len(read)), lengths)
    value = np.concatenate([np.zeros(0, dtype=np.int64), *(found for found, _ in read)])
    label = label[np.argsort(value, kind="stable")]
    start = np.concatenate([[0], np.cumsum(np.bincount(value, minlength=len(values)))])
    kind, sets = _alike(label, start)
    sizes = [len(one) for one in sets]
    return Fit(
        kind=kind,
        kinds=len(sets),
        labels=len(read),
        start=np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64))]),
        label=np.concatenate([np.zeros(0, dtype=np.int64), *sets]),
        not_understood=np.array([not known for _, known in read], dtype=np.bool_),
        unread=reader.unread(),
    )


def _alike(label: Whole, start: Whole) -> tuple[Whole, list[Whole]]:
    """The kind of each value, and the labels of each kind."""
    seen: dict[bytes, int] = {}
    sets: list[Whole] = []
    kind = np.empty(len(start) - 1, dtype=np.int64)
    for at, (begin, end) in enumerate(zip(start[:-1].tolist(), start[1:].tolist(), strict=True)):
        held = label[begin:end]
        key = held.tobytes()
        if key not in seen:
            seen[key] = len(sets)
            sets.append(held)
        kind[at] = seen[key]
    return kind, sets
