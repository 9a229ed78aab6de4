"""Match one column: which labels fit which values of the outsider, and which values are alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.labels.label_coverage import LabelReader
from lookalike.counts.level_table import Value
from lookalike.policy.hierarchy import Hierarchy

Whole = NDArray[np.int64]
MAX_DENSE_CELLS = 1 << 26  # of a table in which pairs are looked up


@dataclass(frozen=True, slots=True, eq=False)
class ColumnMatch:
    """Values that the same labels fit are of one kind: an attacker cannot tell them apart."""

    kind: Whole  # (values,) the kind of each of the outsider's values
    kinds: int
    labels: int
    start: Whole  # (kinds + 1,) where the labels of each kind begin
    label: Whole  # (fits,) the labels of each kind, ascending
    not_understood: NDArray[np.bool_]  # (labels,)
    unread: int  # values of the outsider that are not in the policy's hierarchy

    @property
    def single(self) -> bool:
        """Does at most one label fit each value?"""
        return bool((np.diff(self.start) <= 1).all())

    def only_label(self) -> Whole:
        """(kinds,) the only label that fits each kind; −1 if none does."""
        only = np.full(self.kinds, -1, dtype=np.int64)
        has = np.diff(self.start) > 0
        only[has] = self.label[self.start[:-1][has]]
        return only

    def rows(self, kinds: Whole) -> NDArray[np.bool_]:
        """(the given kinds, labels) which labels fit."""
        lengths = self.start[kinds + 1] - self.start[kinds]
        row = np.repeat(np.arange(len(kinds)), lengths)
        fits = np.zeros((len(kinds), self.labels), dtype=np.bool_)
        fits[row, self.label[spans(self.start[kinds], lengths)]] = True
        return fits

    def lookup(self) -> Callable[[Whole, Whole], NDArray[np.bool_]]:
        """A function that says for each pair whether the label fits the kind."""
        if self.kinds * self.labels <= MAX_DENSE_CELLS:
            dense = self.rows(np.arange(self.kinds))
            return lambda kinds, labels: dense[kinds, labels]
        of = np.repeat(np.arange(self.kinds), np.diff(self.start))
        keys = of * self.labels + self.label  # ascending

        def look(kinds: Whole, labels: Whole) -> NDArray[np.bool_]:
            wanted = kinds * self.labels + labels
            if not len(keys):
                return np.zeros(len(wanted), dtype=np.bool_)
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            fits: NDArray[np.bool_] = keys[at] == wanted
            return fits

        return look


def spans(start: Whole, lengths: Whole) -> Whole:
    """The places start, start + 1, … of each span, one after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    places: Whole = np.arange(total) + np.repeat(start - (ends - lengths), lengths)
    return places


def match_column(
    name: str, labels: Sequence[Value], values: Sequence[Value], hierarchy: Hierarchy | None
) -> ColumnMatch:
    """Read every label once, and group the values into kinds."""
    reader = LabelReader(name, values, labels, hierarchy)
    read = [reader.read(label) for label in reader.labels]
    lengths = np.array([len(covered) for covered, _ in read], dtype=np.int64)
    label = np.repeat(np.arange(len(read)), lengths)
    value = np.concatenate([np.zeros(0, dtype=np.int64), *(covered for covered, _ in read)])
    label = label[np.argsort(value, kind="stable")]
    start = np.concatenate([[0], np.cumsum(np.bincount(value, minlength=len(values)))])
    kind, sets = _alike(label, start)
    sizes = [len(labels_of_kind) for labels_of_kind in sets]
    return ColumnMatch(
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
        kind[at] = seen.setdefault(label[begin:end].tobytes(), len(sets))
        if kind[at] == len(sets):
            sets.append(label[begin:end])
    return kind, sets
