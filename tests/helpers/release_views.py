"""Releases as an attacker sees them, made from tables of a few rows, without an engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

import lookalike as la
from lookalike.attacking.release_view import ReleaseView, view_release
from lookalike.counts.frequency_set import FrequencySet, Histogram


class CountedRows:
    """A table of a few rows, which can only be counted."""

    def __init__(self, table: pa.Table) -> None:
        self.rows = table.to_pylist()

    def count_groups(self, names: Sequence[str], sensitive: Sequence[str] = ()) -> FrequencySet:
        tuples = Counter(tuple(row[name] for name in names) for row in self.rows)
        values = [list(dict.fromkeys(row[name] for row in self.rows)) for name in names]
        place = {group: at for at, group in enumerate(tuples)}
        codes = [[v.index(cell) for v, cell in zip(values, group, strict=True)] for group in tuples]
        return FrequencySet(
            tuple(names),
            tuple(map(tuple, values)),
            np.array(codes, dtype=np.int32).reshape(len(tuples), len(names)),
            np.array(list(tuples.values()), dtype=np.int64),
            {column: self._histogram(names, column, place) for column in sensitive},
        )

    def _histogram(self, names: Sequence[str], column: str, place: dict) -> Histogram:
        values = list(dict.fromkeys(row[column] for row in self.rows))
        entries = Counter(
            (place[tuple(row[name] for name in names)], values.index(row[column]))
            for row in self.rows
        )
        pairs = np.array(list(entries), dtype=np.int64).reshape(-1, 2)
        counts = np.array(list(entries.values()), dtype=np.int64)
        return Histogram(tuple(values), pairs[:, 0], pairs[:, 1].astype(np.int32), counts)


def seen(
    release: pa.Table, policy: la.Policy, original: pa.Table, *, people: bool = False, **known
) -> ReleaseView:
    """A release, with the values of the original table, and with its people if asked."""
    domain = CountedRows(original).count_groups(policy.names)
    listed = {"known_people": domain} if people else {}
    return view_release(CountedRows(release), policy, domain, **listed, **known)


def of_classes(rows: Sequence[tuple[str, object]], **policy) -> ReleaseView:
    """Rows (class, value) as a release with one quasi-identifier, kept as it is."""
    table = pa.table({"place": [label for label, _ in rows], "ill": [value for _, value in rows]})
    asked = {"require": la.KAnonymity(2), **policy}
    made = la.Policy(quasi_identifiers={"place": la.flat()}, sensitive=["ill"], **asked)
    return seen(table, made, table)
